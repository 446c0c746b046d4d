/** Repeats work while somebody looks at the page. */

/** Failures double the wait, but not beyond this limit. A longer usual wait or Retry-After is not shortened. */
const LONGEST_WAIT_MS = 60_000;

/** Tells whether somebody looks at the page, and reports when this may have changed. */
export interface Viewer {
  looks: () => boolean;
  /** Calls `changed` when the result of `looks` may have changed; returns a function that stops these calls. */
  watch: (changed: () => void) => () => void;
}

/**
 * Calls `work` repeatedly, each time `delay()` milliseconds after the last call has ended, so that two calls never
 * overlap. Pauses while nobody looks at the page, and calls `work` as soon as somebody looks again. Returns a function
 * that ends the polling.
 */
export function poll(work: () => Promise<void>, delay: () => number, viewer: Viewer): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let working = false;
  let ended = false;

  const wait = () => {
    clearTimeout(timer);
    timer = !ended && viewer.looks() ? setTimeout(act, delay()) : undefined;
  };
  const act = async () => {
    if (working) return;
    clearTimeout(timer);
    working = true;
    try {
      await work();
    } finally {
      working = false;
      wait();
    }
  };
  const unwatch = viewer.watch(() => void (viewer.looks() ? act() : clearTimeout(timer)));
  wait();
  return () => {
    ended = true;
    clearTimeout(timer);
    unwatch();
  };
}

/** Milliseconds to wait: `usual`, doubled by each failure in a row, and never less than the server's Retry-After. */
export function waitAfter(failures: number, usual: number, retryAfterSeconds = 0): number {
  const doubled = failures === 0 ? usual : Math.min(usual * 2 ** failures, Math.max(usual, LONGEST_WAIT_MS));
  return Math.max(doubled, retryAfterSeconds * 1000);
}
