/** The choices for when a new key expires. */

import { localMoment } from "../../format/format.ts";

/** Never, in that many days, or on a date. */
export type Expiry = "" | "30" | "90" | "365" | "date";

/** The moment of a choice in ISO 8601; for a date, the end of that day in the person's time zone. Null: never. */
export function expiryMoment(choice: Expiry, day: string, now = Date.now()): string | null {
  if (choice === "") return null;
  if (choice === "date") return new Date(`${day}T23:59:59`).toISOString();
  return new Date(now + Number(choice) * 86_400_000).toISOString();
}

/** Tomorrow as the value of a date field: the first day that can be chosen. */
export function tomorrow(now = Date.now()): string {
  return localMoment(now + 86_400_000).slice(0, 10);
}
