import type { Language } from "../openapi/language.ts";
import { type Doc, doc } from "../../supabase/functions/_shared/contract/doc.ts";
import type { Page } from "./page.ts";

/** Where the pages of the site are: Portuguese at the root, English below `en`. */
const FOLDERS: Record<Language, string> = {
  pt: "site/src/content/docs",
  en: "site/src/content/docs/en",
};

/** A page of the site in both languages, whose sections `write` replaces. */
export function sitePages(slug: string, write: (page: string, language: Language) => string): Page[] {
  return (["pt", "en"] as const).map((language) => ({
    file: `${FOLDERS[language]}/${slug}.md`,
    write: (page) => Promise.resolve(write(page, language)),
  }));
}

/** The text in one language. */
export function textIn({ description, description_en }: Doc, language: Language): string {
  return language === "pt" ? description : description_en;
}

/** The text in place of a scope, where no scope is needed. */
export const ANY_KEY = doc("qualquer chave", "any key");
