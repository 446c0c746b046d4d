/** A moment in words, in the reader's time zone: `31 de janeiro de 2027 às 09:00`. */
export function formatLong(moment: string, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "long", timeStyle: "short" }).format(
    new Date(moment),
  );
}
