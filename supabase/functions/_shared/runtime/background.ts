/**
 * Keeps the isolate alive until `work` is done: the runtime may otherwise terminate it after the reply. The runtime gets
 * a promise of its own each time: one that it is given twice keeps the isolate until its wall-clock limit.
 */
export function inBackground(work: Promise<unknown>): void {
  const { EdgeRuntime } = globalThis as { EdgeRuntime?: { waitUntil(work: Promise<unknown>): void } };
  EdgeRuntime?.waitUntil(work.then(() => {}));
}
