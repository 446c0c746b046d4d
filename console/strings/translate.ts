/** Texts with placeholders: `{name}` is replaced by the value of that name. */

type NamesIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

/** The values that a text needs; none for a text without placeholders. */
export type ValuesOf<Text> = [NamesIn<Text>] extends [never] ? []
  : [values: Record<NamesIn<Text>, string | number>];

/** The same keys in another language. */
export type Translated<Table> = { readonly [Key in keyof Table]: string };

/** Keys that come in two forms, `….one` and `….many`, without that ending. */
export type CountedKey<Table> = {
  [Key in keyof Table]: Key extends `${infer Base}.one` ? `${Base}.many` extends keyof Table ? Base : never
    : never;
}[keyof Table];

/** Puts the values into the text. */
export function fill(text: string, values: Record<string, string | number> = {}): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
