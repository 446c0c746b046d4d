/**
 * `deno task bench` measures how far the API is from its limits. Every figure is a count, or a ratio of two things measured
 * in turns in one run, so that other work of the machine affects both.
 *
 *     deno task bench                         everything; also writes lab/results/
 *     deno task bench -- throughput growth    some subjects; writes nothing
 *     deno task bench -- --short statements   small sizes and tolerant ratios, as in CI
 *
 * The exit code is 0 if every figure was held.
 */
import { parseArgs } from "node:util";
import { closeOwnPostgres } from "../../local/own_postgres.ts";
import { type Figure, isHeld } from "../harness/figures.ts";
import { onInterrupt } from "../harness/processes.ts";
import { tableOf } from "../harness/figures.ts";
import { saveResults } from "./results.ts";
import type { Subject } from "./subject.ts";
import { coldStart } from "./subjects/cold_start.ts";
import { concurrency } from "./subjects/concurrency.ts";
import { growth } from "./subjects/growth.ts";
import { roundTrips } from "./subjects/round_trips.ts";
import { statements } from "./subjects/statements.ts";
import { throughput } from "./subjects/throughput.ts";
import { webhooks } from "./subjects/webhooks.ts";

/** In the order of docs/performance.md. */
const SUBJECTS: Subject[] = [statements, roundTrips, throughput, concurrency, coldStart, growth, webhooks];
/**
 * Share of a ratio's target in a short run: it finds mistakes and tolerates a busy machine. One ratio, of the named read,
 * came to 0.27, 0.30, 0.32 and 0.36 with the same code within an hour.
 */
const SHORT_TOLERANCE = 0.5;

const { values: { short }, positionals } = parseArgs({
  args: Deno.args.filter((arg) => arg !== "--"),
  options: { short: { type: "boolean", default: false } },
  allowPositionals: true,
});
const names = SUBJECTS.map(({ name }) => name);
const unknown = positionals.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(", ")}. The subjects are ${names.join(", ")}`);
  Deno.exit(2);
}
const everything = positionals.length === 0;
onInterrupt(closeOwnPostgres);

const started = performance.now();
const print = (line: string) =>
  console.log(`${`${Math.round((performance.now() - started) / 1000)} s`.padStart(5)}  ${line}`);
const figures: Figure[] = [];
for (const { name, title, measure } of SUBJECTS) {
  if (!everything && !positionals.includes(name)) continue;
  print(title);
  for (const measurement of await measure({ short, note: (line) => print(`  ${line}`) })) {
    const held = isHeld(measurement, short ? SHORT_TOLERANCE : 1);
    figures.push({ ...measurement, held, command: `deno task bench -- ${name}` });
  }
}

console.log(`\n${tableOf(figures).join("\n")}`);
if (everything && !short) await saveResults(figures);
Deno.exit(figures.every(({ held }) => held) ? 0 : 1);
