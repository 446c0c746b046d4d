/**
 * Keeps the isolate alive until `work` is done; otherwise the runtime may end the isolate after the reply. Passes the
 * runtime a new promise each time, because a promise that it gets twice keeps the isolate alive until its wall-clock
 * limit.
 */
export function inBackground(work: Promise<unknown>): void {
  const { EdgeRuntime } = globalThis as { EdgeRuntime?: { waitUntil(work: Promise<unknown>): void } };
  EdgeRuntime?.waitUntil(work.then(() => {}));
}
