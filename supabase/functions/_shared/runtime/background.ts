/**
 * Keeps the isolate alive until `work` is done; the runtime may otherwise end it after the reply. Passes a new
 * promise each time, because a promise that the runtime gets twice keeps the isolate until its wall-clock limit.
 */
export function inBackground(work: Promise<unknown>): void {
  const { EdgeRuntime } = globalThis as { EdgeRuntime?: { waitUntil(work: Promise<unknown>): void } };
  EdgeRuntime?.waitUntil(work.then(() => {}));
}
