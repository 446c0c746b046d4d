import type { Figure } from "../harness/figures.ts";
import { SIGNS } from "../harness/figures.ts";
import type { Results } from "../harness/results.ts";
import { escape, GREY, round, STYLE, text } from "./svg.ts";

/** A longer picture is not readable. */
const MAX_ROWS = 60;
const WIDTH = 960;
const ROW = 20;
const HEADING = 34;
const TOP = 56;
const BOTTOM = 16;
/** The x where the names end, and the range of the points. */
const NAMES_END = 470;
const [LEFT, RIGHT] = [490, 740];
const VALUES_START = 755;
/** A point at the edge is at least this many times better or worse than its target. */
const EDGE = 8;
const LONGEST_NAME = 72;

const STYLE_OF_POINTS = `
.target { stroke: ${GREY}; stroke-width: 1.5 }
.held { fill: #2da44e; stroke: #2da44e }
.missed { fill: #e5534b; stroke: #e5534b }`;

/** Draws the figures of a run as SVG: how far each is from its target, by subject. */
export function plot({ figures, at, machine }: Results): string {
  const groups = Map.groupBy(figures, ({ command }) => command.split(" ").at(-1)!);
  const room = figures.length <= MAX_ROWS ? MAX_ROWS : Math.max(1, Math.floor(MAX_ROWS / groups.size));
  const parts: string[] = [];
  let y = TOP;
  for (const [subject, all] of groups) {
    const shown = all.length <= room ? all : all.toSorted((a, b) => margin(a) - margin(b)).slice(0, room);
    parts.push(heading(subject, shown.length, all.length, y + HEADING - 12));
    y += HEADING;
    for (const figure of shown) {
      parts.push(row(figure, y + ROW / 2));
      y += ROW;
    }
  }
  const held = figures.filter((figure) => figure.held).length;
  const summary = `${held} of ${figures.length} figures held`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y + BOTTOM}" role="img">
<title>${escape(`How far each figure is from its target: ${summary}`)}</title>
<style>${STYLE}${STYLE_OF_POINTS}
</style>
${text(0, 16, summary, "heading")}
${text(0, 34, `${at.slice(0, 10)}, ${machine}`, "small")}
${axis(y)}
${parts.join("\n")}
</svg>
`;
}

/** How many times better than its target a figure is; below 1 it was missed. A count is only right or wrong. */
function margin({ value, target, better }: Figure): number {
  if (better === "equal") return value === target ? 1 : 1 / EDGE;
  const [good, bad] = better === "higher" ? [value, target] : [target, value];
  if (good === bad) return 1;
  return bad === 0 ? EDGE : good / bad;
}

/** The x of a margin on a logarithmic scale, so that half and twice as good are equally far from the target. */
function position(margin: number): number {
  const share = Math.log(Math.min(EDGE, Math.max(1 / EDGE, margin))) / Math.log(EDGE);
  return round((LEFT + RIGHT) / 2 + share * (RIGHT - LEFT) / 2);
}

function axis(bottom: number): string {
  const marks: [number, string][] = [
    [1 / 4, "4 × worse"],
    [1 / 2, ""],
    [1, "target"],
    [2, ""],
    [4, "4 × better"],
  ];
  return marks.map(([margin, label]) => {
    const x = position(margin);
    const line = `<line x1="${x}" y1="${TOP}" x2="${x}" y2="${bottom}" class="${
      margin === 1 ? "target" : "line"
    }"/>`;
    return line + (label && text(x, TOP - 8, label, "small", "middle"));
  }).join("\n");
}

function heading(subject: string, shown: number, of: number, y: number): string {
  const choice = shown === of ? "" : ` (${shown} of ${of}, those nearest to their targets)`;
  return text(NAMES_END, y, subject + choice, "heading", "end");
}

function row(figure: Figure, y: number): string {
  const { name, value, unit, target, better, held } = figure;
  const x = position(margin(figure));
  const style = held ? "held" : "missed";
  const measured = unit === "ratio" ? `× ${round(value)}` : `${round(value)} ${unit}`;
  const label = name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME - 1)}…`;
  return [
    text(NAMES_END, y + 4, label, "", "end"),
    `<line x1="${
      position(1)
    }" y1="${y}" x2="${x}" y2="${y}" class="${style}" stroke-width="3" stroke-opacity=".45"/>`,
    `<circle cx="${x}" cy="${y}" r="4.5" class="${style}"/>`,
    text(VALUES_START, y + 4, `${measured} (${SIGNS[better]} ${target})`),
  ].join("");
}
