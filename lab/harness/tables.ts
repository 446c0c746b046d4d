import { table } from "../../contract/pages/page.ts";
import type { Figure } from "./figures.ts";

/** How a figure is held against its target. */
export const SIGNS = { higher: "≥", lower: "≤", equal: "=" };

/** The lines of a table of figures, as docs/performance.md has it. */
export function tableOf(figures: Figure[]): string[] {
  return table(
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
