/** The field of an item, as errors name it: `items[7].email`. */
export function itemField(index: number, field = ""): string {
  return `items[${index}]${field === "" ? "" : `.${field}`}`;
}
