/**
 * Reads an amount as a person types it, such as `1.250,00`, `1250,5` or `R$ 1.250`; NaN if the text is not clearly an
 * amount.
 *
 * @param mark the decimal mark of the page's language: a comma in Portuguese, a point in English. Only one case depends
 * on it: a single mark before three digits. With a comma as the decimal mark, `1.250` is one thousand two hundred and
 * fifty, and `1,250` is refused, because it may mean either. Every other amount shows which mark is which:
 * `1,250.00` and `1250.50` are read in Portuguese too.
 */
export function amountIn(text: string, mark: "," | "."): number {
  const amount = /^(?:R\$\s*)?(\d+|[1-9]\d{0,2}(?:([.,])\d{3}(?:\2\d{3})*))(?:([.,])(\d{1,2}))?$/.exec(
    text.trim(),
  );
  const [, whole = "", group, decimal, cents = "0"] = amount ?? [];
  const isAmbiguous = group === mark && decimal === undefined && whole.split(group).length === 2;
  if (amount === null || isAmbiguous || (group && group === decimal)) return NaN;
  return Number(`${whole.replace(/\D/g, "")}.${cents}`);
}
