/**
 * Keeps the isolate alive until `work` is done; otherwise the runtime may end the isolate after the reply. Passes a new
 * promise each time: a promise that the runtime gets twice keeps the isolate alive until its wall-clock limit.
 */
export function inBackground(work: Promise<unknown>): void {
  const { EdgeRuntime } = globalThis as { EdgeRuntime?: { waitUntil(work: Promise<unknown>): void } };
  EdgeRuntime?.waitUntil(work.then(() => {}));
}
