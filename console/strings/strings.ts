/** The texts of the console in the language that is chosen. A component that calls `t` follows a change of language. */
import { formatNumber } from "../format/format.ts";
import { en } from "./en.ts";
import { languageTag, locale } from "./locale.ts";
import { pt } from "./pt.ts";
import { type CountedKey, fill, type ValuesOf } from "./translate.ts";

type Table = typeof pt;
/** The name of a text. */
export type Key = keyof Table;

/** A text, with its placeholders filled: `t("keys.copied", { name })`. */
export function t<K extends Key>(key: K, ...[values]: ValuesOf<Table[K]>): string {
  return fill((locale.value === "en" ? en : pt)[key], values);
}

/** A text with a count, in its singular or plural: `counted("keys.webhooks", 2)` fills `{n}`. */
export function counted(key: CountedKey<Table>, n: number): string {
  return fill((locale.value === "en" ? en : pt)[`${key}.${n === 1 ? "one" : "many"}` as Key], {
    n: formatNumber(n, languageTag.value),
  });
}

/** A text whose name is known only at run time, such as that of an error code; null if there is none. */
export function textNamed(name: string): string | null {
  return Object.hasOwn(pt, name) ? (locale.value === "en" ? en : pt)[name as Key] : null;
}
