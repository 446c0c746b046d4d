/** Fills the placeholders in texts: `{name}` is replaced with the value of that name. */

type NamesIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

/** The values for the placeholders of a text. */
export type ValuesOf<Text> = [NamesIn<Text>] extends [never] ? []
  : [values: Record<NamesIn<Text>, string | number>];

/** Names of texts that have a singular and a plural, without the ending `.one` or `.many`. */
export type CountedKey<Table> = {
  [Key in keyof Table]: Key extends `${infer Base}.one` ? `${Base}.many` extends keyof Table ? Base : never
    : never;
}[keyof Table];

export function fill(text: string, values: Record<string, string | number> = {}): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
