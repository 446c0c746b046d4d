/**
 * The texts of the console in the chosen language. When the language changes, components that call `t` are rendered
 * again.
 */
import { formatNumber } from "../format/format.ts";
import { languageTag, locale } from "./locale.ts";
import { type Key, type Portuguese, TEXTS } from "./texts.ts";
import { type CountedKey, fill, type ValuesOf } from "./translate.ts";

const textOf = (key: Key): string => TEXTS[key][locale.value === "en" ? 1 : 0];

/** A text with its placeholders filled: `t("keys.created", { name })`. */
export function t<K extends Key>(key: K, ...[values]: ValuesOf<Portuguese[K]>): string {
  return fill(textOf(key), values);
}

/** A text with a count, in the singular or plural: `counted("keys.webhooks", 2)` fills `{n}`. */
export function counted(key: CountedKey<Portuguese>, n: number): string {
  return fill(textOf(`${key}.${n === 1 ? "one" : "many"}` as Key), { n: formatNumber(n, languageTag.value) });
}

/** A text whose name is known only at run time, such as the text for an error code; null if there is none. */
export function textNamed(name: string): string | null {
  return Object.hasOwn(TEXTS, name) ? textOf(name as Key) : null;
}
