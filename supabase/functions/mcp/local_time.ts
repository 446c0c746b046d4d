import type { Json } from "../_shared/contract/json.ts";

/** The time zone in which an assistant writes dates without an offset, and in which lists show days. */
export const TIME_ZONE = "America/Sao_Paulo";

// The Swedish locale formats dates as ISO 8601.
const days = new Intl.DateTimeFormat("sv-SE", { timeZone: TIME_ZONE, dateStyle: "short" });
const offsets = new Intl.DateTimeFormat("en-US", { timeZone: TIME_ZONE, timeZoneName: "longOffset" });

/** The day of a moment in the time zone: `2026-11-27`. */
export function dayOf(moment: Date): string {
  return days.format(moment);
}

/** Matches a date without an offset, with or without a time. */
const WITHOUT_OFFSET = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?$/;

/** Adds the time zone's offset at that moment to a date or time that has none. */
export function withOffset(value: Json): Json {
  if (typeof value !== "string" || !WITHOUT_OFFSET.test(value)) return value;
  const text = value.length === 10 ? `${value}T00:00` : value;
  const moment = new Date(`${text.replace(" ", "T")}Z`);
  if (Number.isNaN(moment.getTime())) return value;
  const name = offsets.formatToParts(moment).find(({ type }) => type === "timeZoneName")!.value;
  return text + (name.replace("GMT", "") || "Z");
}
