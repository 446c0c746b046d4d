/** Formats numbers, money, moments and addresses for a language; days and times are those of the open workspace. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The time zone of the open workspace. Until a workspace is open it is undefined, which means the browser's. */
let zone: string | undefined;

/** Shows days and times in a workspace's time zone from now on. */
export function setZone(timeZone: string | undefined): void {
  zone = timeZone;
}

/** Keeps one formatter for each language and zone, because creating a formatter takes longer than rendering a row. */
function kept<Made>(
  make: (language: string, timeZone: string | undefined) => Made,
): (language: string) => Made {
  const made = new Map<string, Made>();
  return (language) => {
    const key = `${language} ${zone}`;
    if (!made.has(key)) made.set(key, make(language, zone));
    return made.get(key)!;
  };
}

const numbers = kept((language) => new Intl.NumberFormat(language));
const amounts = kept((language) => new Intl.NumberFormat(language, { style: "currency", currency: "BRL" }));
const dates = (options: Intl.DateTimeFormatOptions) =>
  kept((language, timeZone) => new Intl.DateTimeFormat(language, { timeZone, ...options }));
const moments = dates({ dateStyle: "short", timeStyle: "medium" });
const days = dates({ dateStyle: "short" });
const utcDays = dates({ dateStyle: "short", timeZone: "UTC" });
const SHORT_DAY = { day: "2-digit", month: "2-digit" } as const;
const shortDays = dates(SHORT_DAY);
const utcShortDays = dates({ ...SHORT_DAY, timeZone: "UTC" });
const hours = dates({ ...SHORT_DAY, hour: "2-digit", minute: "2-digit" });
const present = kept((language) =>
  new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" }).format(0, "second")
);
// With `numeric: "auto"`, a moment 40 hours ago would be "yesterday", although it may be two calendar days ago.
const distances = kept((language) => new Intl.RelativeTimeFormat(language, { style: "short" }));

/** A number with separators: `1.204`. */
export function formatNumber(value: number, language: string): string {
  return numbers(language).format(value);
}

/** An amount in Brazilian reais: `R$ 1.204,00`. */
export function formatMoney(value: number, language: string): string {
  return amounts(language).format(value);
}

/** The one-time price to show; null if it is zero and there is a price per month. */
export function singlePrice(
  { value, recurring_value: monthly }: { value: number | null; recurring_value: number | null },
): number | null {
  return value === 0 && monthly ? null : value;
}

/** Date and time to the second. */
export function formatMoment(moment: string | Date, language: string): string {
  return moments(language).format(new Date(moment));
}

function isDate(day: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(day);
}

/** The day of a date or of a moment. A date without a time (`2026-11-21`) is a UTC day, as the functions write it. */
export function formatDay(day: string, language: string): string {
  return (isDate(day) ? utcDays : days)(language).format(new Date(day));
}

/** The day without its year: `28/11`. As in {@link formatDay}, a date without a time is a UTC day. */
export function formatShortDay(day: string, language: string): string {
  return (isDate(day) ? utcShortDays : shortDays)(language).format(new Date(day));
}

/** Day and time to the minute, without the year: `28/11, 14:00`. */
export function formatHour(moment: string, language: string): string {
  return hours(language).format(new Date(moment));
}

/** The host of a URL; a text that is not a URL, such as a name, is returned unchanged. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/** A moment in milliseconds as date and time in the workspace's time zone: `2026-11-21T14:03:22`. */
export function wallTime(ms: number): string {
  // Swedish writes `2026-11-21 14:03:22`. It writes years below 1000, which people type by mistake, without zeros.
  return moments("sv-SE").format(ms).padStart(19, "0").replace(" ", "T");
}

/** A moment in milliseconds as the value of a `datetime-local` field. */
export function localMoment(ms: number): string {
  return wallTime(ms).slice(0, 16);
}

/** Converts the value of a `datetime-local` field, in the workspace's time zone, to a moment in ISO 8601. */
export function momentAt(local: string): string {
  const shown = Date.parse(`${local}Z`);
  // Corrected twice, because a daylight saving change may lie between the first guess and the moment.
  let moment = shown;
  for (let guess = 0; guess < 2; guess++) {
    const whole = Math.floor(moment / 1000) * 1000;
    moment = shown - (Date.parse(`${wallTime(whole)}Z`) - whole);
  }
  return new Date(moment).toISOString();
}

/** The text, if it is a day such as `2026-11-21`; otherwise "". An address may have any text in place of a day. */
export function dayIn(text = ""): string {
  return isDate(text) && !Number.isNaN(Date.parse(text)) ? text : "";
}

/** The moment at which a day of the workspace (`2026-11-21`) begins, in ISO 8601. */
export function dayStart(day: string): string {
  return momentAt(`${day}T00:00:00`);
}

/** The last millisecond of a day of the workspace, in ISO 8601. */
export function dayEnd(day: string): string {
  return momentAt(`${day}T23:59:59.999`);
}

/** The distance from `now` (milliseconds): `há 2 min.`, `em 3 dias`; the date if it is 30 days or more. */
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
