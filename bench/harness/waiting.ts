/** A pause long enough that polling does not load the process that is waited for. */
const LONGEST_PAUSE_MS = 50;

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Calls `poll` until it returns a value other than undefined and false; the pauses grow from 10 to 50 ms.
 * @param seconds the maximum wait; generous for a busy machine, so a test of speed must measure the time itself
 * @throws Error that names `what`, if there is no such value after `seconds`
 */
export async function eventually<T>(
  poll: () => Promise<T | undefined | false> | T | undefined | false,
  what: string,
  seconds = 60,
): Promise<T> {
  const deadline = performance.now() + seconds * 1000;
  for (let wait = 10;; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    const value = await poll();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`Waited ${seconds} s for ${what}, without success`);
    await pause(wait);
  }
}
