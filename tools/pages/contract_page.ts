import { parts } from "../rules/all.ts";
import { code, type Page, replaceSection, table } from "./page.ts";

/** docs/contract.md: each rule of the contract with the tests that verify it. */
export const contractPage: Page = {
  file: "docs/contract.md",
  write(page) {
    const lines = parts.flatMap(({ part, title, rules }, index) => [
      ...(index > 0 ? [""] : []),
      `## ${part} ${title}`,
      "",
      ...table(["rule", "tests"], rules.map(({ rule, tests }) => [rule, tests.map(code).join("<br>")])),
    ]);
    return Promise.resolve(replaceSection(page, "rules", lines));
  },
};
