import { code, type Page, replaceSection, table } from "../../tools/pages/page.ts";
import { type Figure, SIGNS } from "../harness/figures.ts";
import { readResults } from "../harness/results.ts";

/**
 * docs/security.md, of which `deno task docs` writes the figures of the attacks: those of bench/results/attacks.json, the
 * last whole run, beside those of attacks_before.json, a run of the same attacks against the API as it was before.
 */
export const securityPage: Page = {
  file: "docs/security.md",
  async write(page) {
    const { at, machine, deno, postgres, figures } = await readResults("attacks");
    const before = new Map(
      (await readResults("attacks_before")).figures.map((figure) => [figure.name, figure]),
    );
    const rows = figures.map((figure) => [
      figure.name,
      valueOf(before.get(figure.name)),
      valueOf(figure),
      `${SIGNS[figure.better]} ${figure.target}`,
      code(figure.command),
    ]);
    const run = [
      `The last whole run: ${at.slice(0, 10)}, Deno ${deno}, Postgres ${postgres};`,
      `${machine}.`,
    ];
    return replaceSection(
      page,
      "attacks",
      [...run, "", ...table(["Figure", "Before", "Now", "Target", "Command"], rows)],
    );
  },
};

function valueOf(figure: Figure | undefined): string {
  if (figure === undefined) return "–";
  const text = `${figure.value} ${figure.unit}`;
  return figure.held ? text : `**${text}**`;
}
