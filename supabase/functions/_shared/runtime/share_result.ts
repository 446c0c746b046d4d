/**
 * Returns a function whose calls share one result of `work`, while it runs and until `ms` milliseconds after its start.
 * `work` must not reject.
 */
export function shareResult<T>(work: () => Promise<T>, ms: number): () => Promise<T> {
  let shared: Promise<T> | undefined;
  let started = 0;
  let running = false;
  return () => {
    const now = performance.now();
    if (shared === undefined || (!running && now - started >= ms)) {
      started = now;
      running = true;
      shared = work().finally(() => running = false);
    }
    return shared;
  };
}
