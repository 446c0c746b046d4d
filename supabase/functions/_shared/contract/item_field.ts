/** The name of an item's field in errors: `items[7].email`. */
export function itemField(index: number, field = ""): string {
  return `items[${index}]${field === "" ? "" : `.${field}`}`;
}
