/**
 * The texts of the console in the chosen language. When the language changes, components that call `t` are rendered
 * again.
 */
import { numberText } from "../format/shown.ts";
import { locale } from "./locale.ts";
import { TEXTS } from "./texts.ts";
import { type CountedKey, fill, type ValuesOf } from "./translate.ts";

type Table = Readonly<Record<string, readonly [string, string]>>;

/** Makes `t`, `counted` and `named` for a table of texts. A page whose texts no other page needs has its own table. */
export function textsIn<const Texts extends Table>(texts: Texts) {
  const textOf = (key: string): string => texts[key]![locale.value === "en" ? 1 : 0];
  return {
    t: <K extends keyof Texts & string>(key: K, ...[values]: ValuesOf<Texts[K][0]>): string =>
      fill(textOf(key), values),
    counted: (key: CountedKey<Texts>, n: number): string =>
      fill(textOf(`${String(key)}.${n === 1 ? "one" : "many"}`), { n: numberText(n) }),
    named: (key: string): string | null => Object.hasOwn(texts, key) ? textOf(key) : null,
  };
}

/**
 * `t("keys.created", { name })` returns a text with its placeholders filled. `counted("keys.webhooks", 2)` chooses the
 * singular or the plural, with the count as `{n}`. `textNamed` takes a name that is known only at run time, such as an
 * error code, and returns null without such a text.
 */
export const { t, counted, named: textNamed } = textsIn(TEXTS);

/** An event in words: its text `happened.…` or, without one, the longer `event.…` that forms show. */
export function happened(event: string): string {
  return textNamed(`happened.${event}`) ?? textNamed(`event.${event}`) ?? event;
}
