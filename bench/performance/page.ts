import { type Page, replaceSection } from "../../tools/pages/page.ts";
import { tableOf } from "../harness/figures.ts";
import { readResults } from "../harness/results.ts";

/**
 * docs/performance.md, of which `deno task docs` writes the figures: the sections `run` and `summary`, and one for each
 * subject. Throws an Error if the page lacks the section of a subject.
 */
export const performancePage: Page = {
  file: "docs/performance.md",
  async write(page) {
    const { at, machine, deno, postgres, figures } = await readResults("latest");
    const held = figures.filter((figure) => figure.held).length;
    const bySubject = Map.groupBy(figures, ({ command }) => command.split(" ").at(-1)!);
    const sections: [name: string, lines: string[]][] = [
      ["run", [`The last whole run: ${at.slice(0, 10)}, Deno ${deno}, Postgres ${postgres};`, `${machine}.`]],
      ["summary", [`**${held} of ${figures.length} figures are held.**`]],
      ...[...bySubject].map(([subject, own]): [string, string[]] => [subject, tableOf(own)]),
    ];
    return sections.reduce((written, [name, lines]) => replaceSection(written, name, lines), page);
  },
};
