import { computed, signal } from "@preact/signals";
import { keepPreference, readPreference } from "../app/preferences_store.ts";

/** The languages of the console. Portuguese is the default. */
export type Locale = "pt" | "en";

export const locale = signal<Locale>(readPreference("locale") === "en" ? "en" : "pt");
/** The tag for `Intl`. British English puts the day before the month, as readers in Brazil expect. */
export const languageTag = computed(() => locale.value === "en" ? "en-GB" : "pt-BR");

export function chooseLocale(chosen: Locale): void {
  locale.value = chosen;
  keepPreference("locale", chosen);
  document.documentElement.lang = chosen === "en" ? "en" : "pt-BR";
}
