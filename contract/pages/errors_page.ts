import { type ErrorCode, ERRORS, isAppError } from "../../supabase/functions/_shared/contract/errors.ts";
import { type Page, replaceSection, table } from "./page.ts";

/** docs/errors.md: the tables of codes, of the API and of the application's functions. */
export const errorsPage: Page = {
  file: "docs/errors.md",
  write(page) {
    const codes = Object.keys(ERRORS) as ErrorCode[];
    const ofApi = replaceSection(page, "errors", tableOf(codes.filter((code) => !isAppError(code))));
    return Promise.resolve(
      replaceSection(ofApi, "errors of the application", tableOf(codes.filter(isAppError))),
    );
  },
};

function tableOf(codes: readonly ErrorCode[]): string[] {
  const rows = codes.map((code) => {
    const { status, when, remedy } = ERRORS[code];
    return [`\`${code}\``, String(status), when, remedy];
  });
  return table(["code", "status", "when", "what to do"], rows);
}
