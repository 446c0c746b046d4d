import type { Figure } from "./figure.ts";

/** How a figure is held against its target. */
export const SIGNS = { higher: "≥", lower: "≤", equal: "=" };

/** The lines of a table in Markdown, as docs/performance.md has them. */
export function tableOf(figures: Figure[]): string[] {
  return [
    "| Figure | Measured | Asked | Held | Command |",
    "|---|---|---|---|---|",
    ...figures.map(({ name, value, unit, target, better, held, command }) =>
      `| ${name} | ${value} ${unit} | ${SIGNS[better]} ${target} | ${
        held ? "yes" : "**no**"
      } | \`${command}\` |`
    ),
  ];
}
