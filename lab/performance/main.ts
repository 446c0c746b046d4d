/**
 * `deno task bench`: how far the API is from its limits. Every figure is a count, or a ratio of two things measured in
 * turns in one run, so that it holds on a machine that has other work to do.
 *
 *     deno task bench                         everything; also writes lab/results/
 *     deno task bench -- throughput growth    some subjects; writes nothing
 *     deno task bench -- --short statements   small sizes and tolerant ratios, as in CI
 *
 * The exit code is 0 where every figure was held.
 */
import { parseArgs } from "node:util";
import { closeOwnPostgres } from "../../local/own_postgres.ts";
import { type Figure, figureOf, isHeld } from "./figure.ts";
import { saveResults } from "./results.ts";
import { SUBJECTS } from "./subjects/all.ts";
import { tableOf } from "./table.ts";

/** Of a ratio's target, in a short run: enough to see a mistake, too little to see a busy neighbour. */
const SHORT_TOLERANCE = 0.7;

const { values, positionals } = parseArgs({
  args: Deno.args.filter((arg) => arg !== "--"),
  options: { short: { type: "boolean", default: false } },
  allowPositionals: true,
});
const { short } = values;
const unknown = positionals.filter((name) => !SUBJECTS.some((subject) => subject.name === name));
if (unknown.length > 0) {
  console.error(
    `There is no ${unknown.join(", ")}; there are ${SUBJECTS.map(({ name }) => name).join(", ")}`,
  );
  Deno.exit(2);
}
const everything = positionals.length === 0;
const chosen = SUBJECTS.filter(({ name }) => everything || positionals.includes(name));

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  Deno.addSignalListener(signal, () => void closeOwnPostgres().finally(() => Deno.exit(130)));
}

const started = performance.now();
const seconds = () => `${Math.round((performance.now() - started) / 1000)} s`.padStart(5);
const figures: Figure[] = [];
for (const subject of chosen) {
  console.log(`${seconds()}  ${subject.title}`);
  const note = (line: string) => console.log(`${seconds()}    ${line}`);
  const measured = await subject.measure({ short, note });
  for (const measurement of measured) {
    const figure = figureOf(measurement, subject);
    figures.push(short ? { ...figure, held: isHeld(measurement, SHORT_TOLERANCE) } : figure);
  }
}

console.log(`\n${tableOf(figures).join("\n")}`);
if (everything && !short) await saveResults(figures);
Deno.exit(figures.every(({ held }) => held) ? 0 : 1);
