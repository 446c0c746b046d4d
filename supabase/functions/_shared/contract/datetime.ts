/** Longest text that is read: every form below fits, with 30 digits of a fraction. */
const MAX_LENGTH = 64;

/**
 * The forms of ISO 8601 that are common in practice, in one expression without nested repetition, so that its time is
 * linear in the length of the text. A space before the offset is a `+` that a query string decoded.
 */
const FORM = new RegExp(
  String.raw`^(?<year>\d{4})(?<dash>-?)(?<month>\d\d)\k<dash>(?<day>\d\d)` +
    String.raw`(?:(?<separator>[Tt ])(?<hour>\d\d)` +
    String.raw`(?:(?<colon>:?)(?<minute>\d\d)(?:\k<colon>(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?)?` +
    String.raw`(?:[Zz]|(?<sign>[+\-\u2212 ])(?<offsetHour>\d\d)(?::?(?<offsetMinute>\d\d))?)?)?$`,
);

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

// Postgres has no year 0, and replies show a year with four digits.
const EARLIEST = atMidnight(1, 1, 1);
const LATEST = atMidnight(9999, 12, 31) + DAY_MS - 1;

/**
 * Reads a date and time of ISO 8601 and returns the same moment as replies show it: UTC, milliseconds, `Z`.
 *
 * - date: `2026-01-31` or `20260131`; alone, it is its first moment in UTC
 * - time, after `T`, `t` or a space: `12`, `12:00`, `12:00:00`, `120000`, with `.` or `,` and digits, of which three
 *   count (the whole text has at most 64 characters); `24:00` is the end of the day, and 23:59:60 UTC (a leap second)
 *   the first moment of the next
 * - offset: `Z`, `z`, `-03:00`, `-0300`, `-03`; without one, the time is UTC
 *
 * Null: another form (a month first, a week, a number of seconds), a date that does not exist, or a moment outside the
 * years 1 to 9999. Postgres reads more forms, some of them by its settings, and fewer offsets, so it is not asked.
 */
export function parseDatetime(text: string): string | null {
  if (text.length > MAX_LENGTH) return null;
  const parts = FORM.exec(text)?.groups;
  if (parts === undefined || isAmbiguous(parts)) return null;
  const [year, month, day, hour, minute, second, offsetHour, offsetMinute] = FIELDS.map((name) =>
    Number(parts[name] ?? 0)
  ) as Fields;
  const millisecond = Number((parts["fraction"] ?? "").slice(0, 3).padEnd(3, "0"));
  const isEndOfDay = hour === 24 && minute === 0 && second === 0 && Number(parts["fraction"] ?? 0) === 0;
  if (hour > 23 && !isEndOfDay || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) {
    return null;
  }

  const date = atMidnight(year, month, day);
  if (Number.isNaN(date)) return null;
  const offset = (offsetHour * 60 + offsetMinute) * MINUTE_MS *
    (/[-\u2212]/.test(parts["sign"] ?? "") ? -1 : 1);
  const at = date + (hour * 60 + minute) * MINUTE_MS + second * 1000 + millisecond - offset;
  // Leap seconds are inserted at the end of a UTC day, and nowhere else.
  if (second === 60 && (at - millisecond) % DAY_MS !== 0) return null;
  return EARLIEST <= at && at <= LATEST ? new Date(at).toISOString() : null;
}

const FIELDS = ["year", "month", "day", "hour", "minute", "second", "offsetHour", "offsetMinute"] as const;
type Fields = [number, number, number, number, number, number, number, number];

/** A space could also be a slip in these, so it is read as `T` or `+` only beside a time that names its minutes. */
function isAmbiguous(parts: Record<string, string | undefined>): boolean {
  return parts["separator"] === " " && parts["colon"] !== ":" ||
    parts["sign"] === " " && parts["minute"] === undefined;
}

/** Milliseconds from 1970 to the beginning of the day in UTC; NaN if the calendar has no such day. */
function atMidnight(year: number, month: number, day: number): number {
  const date = new Date(0);
  // Date.UTC would read the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : NaN;
}
