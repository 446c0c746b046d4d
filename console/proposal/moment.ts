/** A day in words and a time of day, in the time zone of the reader: `31 de janeiro de 2027 às 09:00`. */
export function formatLong(moment: string, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "long", timeStyle: "short" }).format(
    new Date(moment),
  );
}
