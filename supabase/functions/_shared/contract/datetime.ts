/** Maximum characters: enough for every form below with 30 fractional digits. */
const MAX_LENGTH = 64;

/**
 * The common forms of ISO 8601. The pattern has no nested repetition, so that matching takes linear time. A space
 * before the offset stands for `+`, because decoding a query string turns `+` into a space.
 */
const FORM = new RegExp(
  String.raw`^(?<year>\d{4})(?<dash>-?)(?<month>\d\d)\k<dash>(?<day>\d\d)` +
    String.raw`(?:(?<separator>[Tt ])(?<hour>\d\d)` +
    String.raw`(?:(?<colon>:?)(?<minute>\d\d)(?:\k<colon>(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?)?` +
    String.raw`(?:[Zz]|(?<sign>[+\-\u2212 ])(?<offsetHour>\d\d)(?::?(?<offsetMinute>\d\d))?)?)?$`,
);

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

// The years 1 to 9999, because Postgres has no year 0, and replies show years with four digits.
const EARLIEST = atMidnight(1, 1, 1);
const LATEST = atMidnight(9999, 12, 31) + DAY_MS - 1;

/**
 * Parses a date and time in ISO 8601, and returns it in the form that replies have: UTC, milliseconds, `Z`.
 *
 * - date: `2026-01-31` or `20260131`; without a time it means the start of the day in UTC
 * - time, after `T`, `t` or a space: `12`, `12:00`, `12:00:00`, `120000`; a fraction follows `.` or `,` and is cut off
 *   after milliseconds; `24:00` and 23:59:60 UTC (a leap second) mean the start of the next day
 * - offset: `Z`, `z`, `-03:00`, `-0300`, `-03`; without one, the time is UTC
 *
 * @returns null for over 64 characters, another form (month first, week, seconds since 1970), a date that does not
 *  exist, or a moment outside the years 1 to 9999. Postgres does not parse the text, because it would accept more
 *  forms, some depending on its settings.
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
  // A leap second occurs only at the end of a UTC day.
  if (second === 60 && (at - millisecond) % DAY_MS !== 0) return null;
  return EARLIEST <= at && at <= LATEST ? new Date(at).toISOString() : null;
}

const FIELDS = ["year", "month", "day", "hour", "minute", "second", "offsetHour", "offsetMinute"] as const;
type Fields = [number, number, number, number, number, number, number, number];

/**
 * Whether a space may be a typing mistake. A space stands for `T` only before a time with `:`, and for `+` only after a
 * time with minutes.
 */
function isAmbiguous(parts: Record<string, string | undefined>): boolean {
  return parts["separator"] === " " && parts["colon"] !== ":" ||
    parts["sign"] === " " && parts["minute"] === undefined;
}

/** Milliseconds from 1970 to the start of the day in UTC; NaN if the calendar has no such day. */
function atMidnight(year: number, month: number, day: number): number {
  const date = new Date(0);
  // Not by Date.UTC, which would read the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : NaN;
}
