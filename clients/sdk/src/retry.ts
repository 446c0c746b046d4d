import type { CrmError } from "./error.ts";
import type { OperationId } from "./operations.ts";

/**
 * POSTs that are safe to repeat without an `Idempotency-Key`, because a second call changes nothing more. Repeating
 * another POST may do its work twice, for example create another subscription, delivery or secret.
 */
export const REPEATABLE: ReadonlySet<OperationId> = new Set<OperationId>([
  "contacts.merge",
  "contacts.archive",
  "contacts.restore",
  "contacts.erase",
  "companies.merge",
  "companies.archive",
  "companies.restore",
  "deals.move_stage",
  "deals.win",
  "deals.lose",
  "deals.add_contact",
  "deals.archive",
  "deals.restore",
  "webhooks.reactivate",
  "webhooks.recover",
  "custom_fields.archive",
  "custom_fields.restore",
  "proposals.accept",
  "proposals.reject",
]);

/** Maximum wait in seconds, before the random part, if the reply has no Retry-After. */
const LONGEST = 60;

/**
 * Returns the seconds to wait before a failed call is repeated; null if it must not be repeated. A random part keeps
 * clients that failed together from calling again together.
 *
 * @param attempt number of the attempt that failed, from 1
 * @param repeatable whether carrying out the call twice is safe
 */
export function waitBefore(error: CrmError, attempt: number, repeatable: boolean): number | null {
  // The API has refused the call before changing anything, so any call may be repeated.
  if (error.status === 429 || error.code === "idempotency_in_progress") {
    return (error.retryAfter ?? LONGEST) + Math.random();
  }
  if (!repeatable || !mayPass(error)) return null;
  return (error.retryAfter ?? Math.min(LONGEST, 2 ** (attempt - 1))) * (1 + Math.random() / 2);
}

function mayPass({ code, status }: CrmError): boolean {
  return code === "no_answer" || code === "timeout" || status >= 500 || status === 408;
}

/** Waits; rejects with the signal's reason as soon as the signal is aborted. */
export function sleep(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, seconds * 1000);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
