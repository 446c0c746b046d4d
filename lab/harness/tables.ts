import { table } from "../../contract/pages/page.ts";
import type { Figure } from "./figures.ts";

/** How a figure is compared with its target. */
export const SIGNS = { higher: "≥", lower: "≤", equal: "=" };

/** Renders the table of figures of docs/performance.md, as lines. */
export function tableOf(figures: Figure[]): string[] {
  return table(
    ["Figure", "Measured", "Target", "Held", "Command"],
    figures.map(({ name, value, unit, target, better, held, command }) => [
      name,
      `${value} ${unit}`,
      `${SIGNS[better]} ${target}`,
      held ? "yes" : "**no**",
      `\`${command}\``,
    ]),
  );
}
