/** Numbers, money and moments in words. Pure: the language is an argument. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `1.204` */
export function formatNumber(value: number, language: string): string {
  return new Intl.NumberFormat(language).format(value);
}

/** An amount in Brazilian reais: `R$ 1.204,00`. */
export function formatMoney(value: number, language: string): string {
  return new Intl.NumberFormat(language, { style: "currency", currency: "BRL" }).format(value);
}

/** Date and time to the second, in the time zone of the reader. */
export function formatMoment(moment: string | Date, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "short", timeStyle: "medium" }).format(
    new Date(moment),
  );
}

/** The day alone; a day without time (`2026-11-21`) is taken as UTC, as the functions give it. */
export function formatDay(day: string, language: string): string {
  const dateOnly = /^\d{4}-\d{2}-\d{2}$/.test(day);
  return new Intl.DateTimeFormat(language, { dateStyle: "short", ...(dateOnly && { timeZone: "UTC" }) })
    .format(new Date(day));
}

/** `há 2 min.`, `em 3 dias`; the date where it is more than 30 days away. */
export function formatRelative(moment: string, now: number, language: string): string {
  const seconds = Math.round((Date.parse(moment) - now) / 1000);
  const size = Math.abs(seconds);
  if (size >= 30 * DAY) return formatDay(moment, language);
  const words = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" });
  if (size < 10) return words.format(0, "second");
  if (size < MINUTE) return words.format(seconds, "second");
  if (size < HOUR) return words.format(Math.trunc(seconds / MINUTE), "minute");
  if (size < DAY) return words.format(Math.trunc(seconds / HOUR), "hour");
  return words.format(Math.trunc(seconds / DAY), "day");
}
