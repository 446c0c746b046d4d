import type { Results } from "../harness/results.ts";
import type { Operation } from "./load/requests.ts";
import { shareOfHand } from "./subjects/hand.ts";
import { shareOfBare } from "./subjects/throughput.ts";
import { escape, GREY, round, STYLE, text } from "./svg.ts";

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

const STYLE_OF_BARS = `
.title { font-size: 15px; font-weight: 600 }
.api { fill: #2f81f7 }
.hand { fill: ${GREY} }
.bare { fill: ${GREY}; fill-opacity: .45 }`;

interface Bar {
  name: string;
  style: string;
  /** Requests a second, as a multiple of those of the function by hand. */
  rate: number;
}

/**
 * Draws the requests a second of four operations as SVG: the API's, those of the function written by hand, which are 1, and
 * those of bare statements. Both others were measured in turns with the API in one run, so that their own ratio is that of
 * the API's shares.
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
  const said = groups.map(({ title, bars }) =>
    `${title}: ${bars.map(({ name, rate }) => `${name} ${rate}`).join(", ")}`
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${
    y + 16
  }" role="img" aria-labelledby="title values">
<title id="title">Requests a second of four operations, compared with a function written by hand</title>
<desc id="values">${escape(said.join(". "))}.</desc>
<style>${STYLE}${STYLE_OF_BARS}
</style>
${text(0, 18, "Requests a second, a function written by hand = 1", "title")}
${
    text(
      0,
      38,
      "Longer is faster. By hand: with a key, a scope and a limit. Bare: the statements alone.",
      "small",
    )
  }
${parts.join("\n")}
${text(0, y + 8, `${results.at.slice(0, 10)}, ${results.machine}`, "small")}
</svg>
`;
}

function barsOf({ figures }: Results, operation: Operation): Bar[] {
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
