import { useEffect, useRef } from "preact/hooks";
import { poll, type Viewer } from "./poll.ts";

const PERSON: Viewer = {
  looks: () => !document.hidden,
  watch: (changed) => {
    document.addEventListener("visibilitychange", changed);
    addEventListener("online", changed);
    return () => {
      document.removeEventListener("visibilitychange", changed);
      removeEventListener("online", changed);
    };
  },
};

/**
 * Polls while the component is mounted. A changed `key` restarts the polling; each round uses the newest `work` and
 * `delay`.
 */
export function usePolling(work: () => Promise<void>, delay: () => number, key: unknown): void {
  const newest = useRef({ work, delay });
  newest.current = { work, delay };
  useEffect(() => poll(() => newest.current.work(), () => newest.current.delay(), PERSON), [key]);
}
