import { localMoment, momentAt } from "../../format/format.ts";

/** Never (""), after this number of days, or on a chosen date. */
export type Expiry = "" | "30" | "90" | "365" | "date";

/**
 * The moment at which a key with this choice expires, in ISO 8601; null: never. For a date it is the end of that day in
 * the workspace's time zone.
 */
export function expiryMoment(choice: Expiry, day: string, now = Date.now()): string | null {
  if (choice === "") return null;
  if (choice === "date") return momentAt(`${day}T23:59:59`);
  return new Date(now + Number(choice) * 86_400_000).toISOString();
}

/** Tomorrow, the first day that can be chosen, as the value of a date field. */
export function tomorrow(now = Date.now()): string {
  return localMoment(now + 86_400_000).slice(0, 10);
}
