/** The text in the form in which texts are compared: lower case, without accents. */
export function plain(text: string): string {
  return text.normalize("NFD").replace(/\p{Mn}/gu, "").toLowerCase();
}
