import type { Language } from "../openapi/language.ts";
import { doc } from "../../supabase/functions/_shared/contract/doc.ts";
import { type ErrorCode, ERRORS, isAppError } from "../../supabase/functions/_shared/contract/errors.ts";
import { ERROR_TEXTS, type Repetition } from "../errors/texts.ts";
import { replaceSection, sitePages, table, textIn } from "./page.ts";

const HEAD: Record<Language, string[]> = {
  pt: ["código, status", "quando acontece", "o que fazer", "repetir?"],
  en: ["code, status", "when", "what to do", "repeat?"],
};

const NEVER = doc("não", "no");

/** Whether to repeat a call. The same page explains the waits under "Repeating a call". */
const REPETITIONS = {
  retry_after: doc("sim, após `Retry-After`", "yes, after `Retry-After`"),
  doubling: doc("sim, com espera que dobra", "yes, with a wait that doubles"),
  three_times: doc("sim, até 3 vezes", "yes, up to 3 times"),
} satisfies Record<Repetition, unknown>;

/** Writes the tables of error codes, for the API and for the console's functions, into the pages on errors. */
export const errorsPages = sitePages("errors", (page, language) => {
  const codes = Object.keys(ERRORS) as ErrorCode[];
  const ofApi = codes.filter((code) => !isAppError(code));
  return replaceSection(
    replaceSection(page, "errors", tableOf(ofApi, language)),
    "errors of the application",
    tableOf(codes.filter(isAppError), language),
  );
});

function tableOf(codes: readonly ErrorCode[], language: Language): string[] {
  const rows = codes.map((code) => {
    const { when, remedy, repeat } = ERROR_TEXTS[code];
    const texts = [when, remedy, repeat ? REPETITIONS[repeat] : NEVER];
    return [`\`${code}\`<br>${ERRORS[code].status}`, ...texts.map((text) => textIn(text, language))];
  });
  return table(HEAD[language], rows);
}
