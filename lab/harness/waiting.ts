/** Between two questions at most: a long wait must not load what it waits for. */
const LONGEST_PAUSE_MS = 50;

/** Waits so many milliseconds. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Asks until there is an answer, at first after 10 ms, later every 50.
 * @throws Error that names `what` after `seconds`
 */
export async function eventually<T>(
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  what: string,
  seconds = 10,
): Promise<T> {
  const deadline = performance.now() + seconds * 1000;
  for (let wait = 10;; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > deadline) throw new Error(`Waited ${seconds} s in vain for ${what}`);
    await pause(wait);
  }
}
