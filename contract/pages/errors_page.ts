import { ERRORS } from "../../supabase/functions/_shared/contract/errors.ts";
import { type Page, replaceSection, table } from "./page.ts";

/** docs/errors.md: the table of codes. */
export const errorsPage: Page = {
  file: "docs/errors.md",
  write(page) {
    const rows = Object.entries(ERRORS).map(([code, { status, when, remedy }]) => [
      `\`${code}\``,
      String(status),
      when,
      remedy,
    ]);
    return Promise.resolve(
      replaceSection(page, "errors", table(["code", "status", "when", "what to do"], rows)),
    );
  },
};
