import { table } from "../../tools/pages/page.ts";
import { SIGNS } from "../harness/figures.ts";
import { type Results, withFigures } from "../harness/results.ts";

export const SECURITY_PAGE = "docs/security.md";

/** docs/security.md with the figures of a run of all attacks. */
export function securityPage(page: string, results: Results): string {
  const rows = results.figures.map(({ name, value, unit, held, better, target }) => {
    const measured = `${value} ${unit}`;
    return [name, held ? measured : `**${measured}**`, `${SIGNS[better]} ${target}`];
  });
  return withFigures(page, results, table(["Figure", "Measured", "Target"], rows));
}
