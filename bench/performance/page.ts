import { table } from "../../tools/pages/page.ts";
import { tableOf } from "../harness/figures.ts";
import { type Results, withFigures } from "../harness/results.ts";

export const PERFORMANCE_PAGE = "docs/performance.md";

/**
 * docs/performance.md with the results of a run: how many figures of each subject reach their targets, and the figures
 * that do not. All figures are in bench/results/latest.json.
 */
export function performancePage(page: string, results: Results): string {
  const { figures } = results;
  const bySubject = Map.groupBy(figures, ({ command }) => command);
  const missed = figures.filter(({ held }) => !held);
  return withFigures(page, results, [
    `**${figures.length - missed.length} of ${figures.length} figures reach their targets.**`,
    "",
    ...table(
      ["Subject", "Figures", "Reached"],
      [...bySubject].map(([command, own]) => [
        `\`${command}\``,
        `${own.length}`,
        `${own.filter(({ held }) => held).length}`,
      ]),
    ),
    "",
    "Missed:",
    "",
    ...tableOf(missed),
  ]);
}
