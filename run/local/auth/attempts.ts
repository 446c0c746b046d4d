import { AuthError } from "./errors.ts";

/** How long a wrong password takes to be answered. */
const WRONG_PASSWORD_MS = 1_000;
/** Attempts on one address that wait for each other. */
const MAX_WAITING = 3;

/**
 * Slows down the guessing of passwords: attempts on one address are made one after the other, and a wrong one takes a
 * second, however it was wrong.
 */
export class Attempts {
  readonly #last = new Map<string, { attempt: Promise<unknown>; waiting: number }>();

  /**
   * @param attempt Resolves with null if the password was wrong.
   * @throws AuthError `over_request_rate_limit` if too many attempts on the address wait already.
   */
  async make<Result>(email: string, attempt: () => Promise<Result | null>): Promise<Result | null> {
    const entry = this.#last.get(email) ?? { attempt: Promise.resolve(), waiting: 0 };
    if (entry.waiting === MAX_WAITING) {
      throw new AuthError(429, "over_request_rate_limit", "Request rate limit reached");
    }
    entry.waiting++;
    this.#last.set(email, entry);
    const made = entry.attempt.then(() => slowDown(attempt));
    entry.attempt = made.catch(() => {});
    try {
      return await made;
    } finally {
      if (--entry.waiting === 0) this.#last.delete(email);
    }
  }
}

async function slowDown<Result>(attempt: () => Promise<Result | null>): Promise<Result | null> {
  const startedAt = performance.now();
  const result = await attempt();
  if (result === null) {
    const rest = WRONG_PASSWORD_MS - (performance.now() - startedAt);
    await new Promise((resolve) => setTimeout(resolve, Math.max(rest, 0)));
  }
  return result;
}
