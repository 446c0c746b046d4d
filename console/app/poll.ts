/** Repeats work while somebody looks at the page. */

/** The longest wait after a failed try. */
const LONGEST_WAIT_MS = 60_000;

/** Tells whether somebody looks at the page, and when that may have changed. */
export interface Viewer {
  looks: () => boolean;
  /** Calls `changed` from now on; returns a function that stops this. */
  watch: (changed: () => void) => () => void;
}

/**
 * Calls `work` again and again, each time `delay()` milliseconds after the last call has ended, so that never two run at
 * once. While nobody looks it pauses; as soon as somebody looks again it calls `work`. Returns a function that ends it.
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

/** Milliseconds to wait: doubled by each failure in a row, and never less than the server's Retry-After. */
export function waitAfter(failures: number, usual: number, retryAfterSeconds = 0): number {
  const doubled = failures === 0 ? usual : Math.min(usual * 2 ** failures, Math.max(usual, LONGEST_WAIT_MS));
  return Math.max(doubled, retryAfterSeconds * 1000);
}
