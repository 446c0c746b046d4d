import type { CrmError } from "./error.ts";
import type { OperationId } from "./operations.ts";

/**
 * POSTs that need no `Idempotency-Key`, because they do no more a second time. Missing are those that would: another
 * subscription, delivery or secret.
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
  "deals.archive",
  "deals.restore",
  "webhooks.reactivate",
  "webhooks.recover",
  "proposals.accept",
  "proposals.reject",
]);

/** The longest wait where the reply asks for none, in seconds. */
const LONGEST = 60;

/**
 * Decides whether a call is repeated after an error: the seconds to wait, or null. The random part keeps clients apart
 * that failed together.
 *
 * @param attempt that failed, from 1
 * @param repeatable whether the call may be carried out twice
 */
export function waitBefore(error: CrmError, attempt: number, repeatable: boolean): number | null {
  // Refused before anything was done.
  if (error.status === 429) return (error.retryAfter ?? LONGEST) + Math.random();
  if (error.code === "idempotency_in_progress") return 1 + Math.random() / 2;
  if (!repeatable || !mayPass(error)) return null;
  return (error.retryAfter ?? Math.min(LONGEST, 2 ** (attempt - 1))) * (1 + Math.random() / 2);
}

function mayPass({ code, status }: CrmError): boolean {
  return code === "no_answer" || code === "timeout" || status >= 500 || status === 408;
}

/** Waits. Rejects with the signal's reason as soon as it is aborted. */
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
