import type { Results } from "../harness/results.ts";
import type { Operation } from "./load/requests.ts";
import { shareOfBare, shareOfHand } from "./subjects/throughput.ts";

/** The picture that the README shows. */
export const COMPARISON = "bench/results/compared.svg";

const OPERATIONS: [Operation, string][] = [
  ["read", "Read a contact"],
  ["list", "List 50 contacts"],
  ["create", "Create a contact"],
  ["lead", "Take in a lead"],
];

const WIDTH = 720;
const TOP = 64;
const BAR = 16;
/** From one bar to the next, and between two operations. */
const STEP = 19;
const GAP = 15;
const OPERATIONS_END = 130;
/** The x of the bars; their values need the room after them. */
const [LEFT, RIGHT] = [205, WIDTH - 50];
/** A medium grey, because the picture appears on white and on black pages. */
const GREY = "#727a84";
const STYLE = `
text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; fill: ${GREY} }
.heading { font-weight: 600 }
.small { font-size: 11px }
.title { font-size: 15px; font-weight: 600 }
.api { fill: #2f81f7 }
.hand { fill: ${GREY} }
.bare { fill: ${GREY}; fill-opacity: .45 }`;

const round = (value: number) => Math.round(value * 100) / 100;

/**
 * Draws the requests a second of four operations as SVG, relative to the function written by hand, which is 1: for the
 * API, that function and bare statements. Each of the latter two was measured in turns with the API in one run, so
 * their ratio follows from the API's shares.
 * @throws Error if the results lack one of the shares
 */
export function drawComparison(results: Results): string {
  const groups = OPERATIONS.map(([operation, title]) => ({ title, bars: barsOf(results, operation) }));
  const scale = (RIGHT - LEFT) / Math.max(...groups.flatMap(({ bars }) => bars.map(({ rate }) => rate)));
  const parts: string[] = [];
  let y = TOP;
  for (const { title, bars } of groups) {
    parts.push(text(OPERATIONS_END, y + STEP + BAR - 4, title, "heading", "end"));
    for (const { name, style, rate } of bars) {
      const width = round(rate * scale);
      parts.push(
        text(LEFT - 8, y + BAR - 4, name, "", "end"),
        `<rect x="${LEFT}" y="${y}" width="${width}" height="${BAR}" rx="2" class="${style}"/>`,
        text(LEFT + width + 6, y + BAR - 4, String(rate), style === "api" ? "heading" : ""),
      );
      y += STEP;
    }
    y += GAP;
  }
  const values = groups.map(({ title, bars }) =>
    `${title}: ${bars.map(({ name, rate }) => `${name} ${rate}`).join(", ")}`
  );
  const legend = "Longer is faster. By hand: with a key, a scope and a limit. Bare: the statements alone.";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${
    y + 16
  }" role="img" aria-labelledby="title values">
<title id="title">Requests a second of four operations, compared with a function written by hand</title>
<desc id="values">${values.join(". ")}.</desc>
<style>${STYLE}
</style>
${text(0, 18, "Requests a second, a function written by hand = 1", "title")}
${text(0, 38, legend, "small")}
${parts.join("\n")}
${text(0, y + 8, `${results.at.slice(0, 10)}, ${results.machine}`, "small")}
</svg>
`;
}

function barsOf({ figures }: Results, operation: Operation) {
  const share = (name: string) => {
    const figure = figures.find((figure) => figure.name === name);
    if (figure === undefined) throw new Error(`The results lack the figure "${name}"`);
    return figure.value;
  };
  const [ofHand, ofBare] = [share(shareOfHand(operation)), share(shareOfBare(operation))];
  return [
    { name: "this API", style: "api", rate: ofHand },
    { name: "by hand", style: "hand", rate: 1 },
    { name: "bare", style: "bare", rate: round(ofHand / ofBare) },
  ];
}

/** @param content without characters that XML escapes */
function text(x: number, y: number, content: string, style = "", anchor = ""): string {
  const attributes = (style && ` class="${style}"`) + (anchor && ` text-anchor="${anchor}"`);
  return `<text x="${x}" y="${y}"${attributes}>${content}</text>`;
}
