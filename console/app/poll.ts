/** Doing something again and again while somebody looks. */

/** The longest wait between two tries that fail. */
const LONGEST_WAIT_MS = 60_000;

/** Whether somebody looks, and being told when that may have changed. */
export interface Viewer {
  looks: () => boolean;
  /** Returns what ends the telling. */
  watch: (changed: () => void) => () => void;
}

/**
 * Calls `work` after `delay()` milliseconds, and so on after each that has ended: never twice at a time, with one timer at
 * most. While nobody looks there is none; once somebody does, the work is done at once. Returns what ends it.
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

/** The wait in milliseconds after so many failures in a row: doubled by each, and what the server asks at least. */
export function waitAfter(failures: number, usual: number, retryAfterSeconds = 0): number {
  const doubled = failures === 0 ? usual : Math.min(usual * 2 ** failures, Math.max(usual, LONGEST_WAIT_MS));
  return Math.max(doubled, retryAfterSeconds * 1000);
}
