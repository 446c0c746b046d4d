/** A text normalised for comparing: in lower case, without accents. */
export function plain(text: string): string {
  return text.normalize("NFD").replace(/\p{Mn}/gu, "").toLowerCase();
}
