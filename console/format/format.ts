/** Formats numbers, money and moments for a language. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Keeps one formatter for each language, because creating a formatter takes longer than rendering a row. */
function kept<Made>(make: (language: string) => Made): (language: string) => Made {
  const made = new Map<string, Made>();
  return (language) => {
    if (!made.has(language)) made.set(language, make(language));
    return made.get(language)!;
  };
}

const numbers = kept((language) => new Intl.NumberFormat(language));
const amounts = kept((language) => new Intl.NumberFormat(language, { style: "currency", currency: "BRL" }));
const moments = kept((language) =>
  new Intl.DateTimeFormat(language, { dateStyle: "short", timeStyle: "medium" })
);
const days = kept((language) => new Intl.DateTimeFormat(language, { dateStyle: "short" }));
const utcDays = kept((language) =>
  new Intl.DateTimeFormat(language, { dateStyle: "short", timeZone: "UTC" })
);
const present = kept((language) =>
  new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" }).format(0, "second")
);
// Not `numeric: "auto"`, which would call 40 hours ago "yesterday", although that may be two calendar days ago.
const distances = kept((language) => new Intl.RelativeTimeFormat(language, { style: "short" }));

/** A number with separators: `1.204`. */
export function formatNumber(value: number, language: string): string {
  return numbers(language).format(value);
}

/** An amount in Brazilian reais: `R$ 1.204,00`. */
export function formatMoney(value: number, language: string): string {
  return amounts(language).format(value);
}

/** Date and time to the second, in the time zone of the reader. */
export function formatMoment(moment: string | Date, language: string): string {
  return moments(language).format(new Date(moment));
}

/** The day of a date or of a moment. A date without a time (`2026-11-21`) is a UTC day, as the functions write it. */
export function formatDay(day: string, language: string): string {
  const formatter = /^\d{4}-\d{2}-\d{2}$/.test(day) ? utcDays : days;
  return formatter(language).format(new Date(day));
}

/** Short days (`28/11`) and hours (`28/11, 14:00`) in a time zone. A date without a time is a day in UTC. */
export function inZone(
  language: string,
  timeZone: string,
): { day: (moment: string) => string; hour: (moment: string) => string } {
  const day = { day: "2-digit", month: "2-digit", timeZone } as const;
  const days = new Intl.DateTimeFormat(language, day);
  const hours = new Intl.DateTimeFormat(language, { ...day, hour: "2-digit", minute: "2-digit" });
  return {
    day: (moment) => days.format(new Date(moment)),
    hour: (moment) => hours.format(new Date(moment)),
  };
}

/** A moment in milliseconds as the value of a `datetime-local` field, in the reader's time zone. */
export function localMoment(ms: number): string {
  return new Date(ms - new Date(ms).getTimezoneOffset() * MINUTE * 1000).toISOString().slice(0, 16);
}

/** The distance from now: `há 2 min.`, `em 3 dias`; from 30 days on, the date. `now` is in milliseconds. */
export function formatRelative(moment: string, now: number, language: string): string {
  const seconds = Math.round((Date.parse(moment) - now) / 1000);
  const size = Math.abs(seconds);
  if (size >= 30 * DAY) return formatDay(moment, language);
  if (size < 10) return present(language);
  const words = distances(language);
  if (size < MINUTE) return words.format(seconds, "second");
  if (size < HOUR) return words.format(Math.trunc(seconds / MINUTE), "minute");
  if (size < DAY) return words.format(Math.trunc(seconds / HOUR), "hour");
  return words.format(Math.trunc(seconds / DAY), "day");
}
