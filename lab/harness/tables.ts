import type { Figure } from "./figures.ts";

/** How a figure is held against its target. */
export const SIGNS = { higher: "≥", lower: "≤", equal: "=" };

/** A table in Markdown. */
export function writeTable(headings: string[], rows: (string | number)[][]): string {
  return [headings, headings.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

/** The table of figures, as docs/performance.md has it. */
export function writeFigures(figures: Figure[]): string {
  return writeTable(
    ["Figure", "Measured", "Asked", "Held", "Command"],
    figures.map(({ name, value, unit, target, better, held, command }) => [
      name,
      `${value} ${unit}`,
      `${SIGNS[better]} ${target}`,
      held ? "yes" : "**no**",
      `\`${command}\``,
    ]),
  );
}
