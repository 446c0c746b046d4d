/** When a new key ends, as the form offers it. */

import { localMoment } from "../../format/format.ts";

/** Days from now, a day of the calendar, or nothing. */
export type Expiry = "" | "30" | "90" | "365" | "date";

/** The moment of a choice in ISO 8601; the end of the day, where the person is, for a day. Null: it does not end. */
export function expiryMoment(choice: Expiry, day: string, now = Date.now()): string | null {
  if (choice === "") return null;
  if (choice === "date") return new Date(`${day}T23:59:59`).toISOString();
  return new Date(now + Number(choice) * 86_400_000).toISOString();
}

/** Tomorrow as a date field has it, the first day that may be chosen. */
export function tomorrow(now = Date.now()): string {
  return localMoment(now + 86_400_000).slice(0, 10);
}
