/** Waits so many milliseconds. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Asks every 50 ms until there is an answer.
 * @throws Error that names `what` after `seconds`.
 */
export async function until<T>(
  what: string,
  seconds: number,
  ask: () => Promise<T | false> | T | false,
): Promise<T> {
  const deadline = performance.now() + seconds * 1000;
  for (;;) {
    const answer = await ask();
    if (answer !== false) return answer;
    if (performance.now() > deadline) throw new Error(`Waited ${seconds} s in vain for ${what}`);
    await pause(50);
  }
}
