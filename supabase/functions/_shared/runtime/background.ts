/** Keeps the isolate alive until `work` is done: the runtime may otherwise terminate it after the reply. */
export function inBackground(work: Promise<unknown>): void {
  const { EdgeRuntime } = globalThis as { EdgeRuntime?: { waitUntil(work: Promise<unknown>): void } };
  EdgeRuntime?.waitUntil(work);
}
