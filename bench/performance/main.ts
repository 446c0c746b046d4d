/**
 * `deno task bench` measures how far the API is from its limits. Every figure is a count, or a ratio of two things measured
 * in turns in one run, so that other work of the machine affects both.
 *
 *     deno task bench                         everything; also writes bench/results/
 *     deno task bench -- throughput growth    some subjects; writes nothing
 *     deno task bench -- --short statements   small sizes and tolerant ratios, as in CI
 *     deno task bench -- --minutes 3 life     what lasts minutes, for another time
 *
 * The exit code is 0 if every figure was held.
 */
import { saveImage, saveResults } from "../harness/results.ts";
import { runSubjects } from "../harness/run_subjects.ts";
import { drawComparison } from "./comparison.ts";
import { plot } from "./plot.ts";
import { batches } from "./subjects/batch.ts";
import { coldStart } from "./subjects/cold_start.ts";
import { concurrency } from "./subjects/concurrency.ts";
import { costs } from "./subjects/costs.ts";
import { growth } from "./subjects/growth.ts";
import { byHand } from "./subjects/hand.ts";
import { install } from "./subjects/install.ts";
import { life } from "./subjects/life.ts";
import { roundTrips } from "./subjects/round_trips.ts";
import { statements } from "./subjects/statements.ts";
import { throughput } from "./subjects/throughput.ts";
import { webhooks } from "./subjects/webhooks.ts";

const { figures, whole } = await runSubjects({
  // In the order of docs/performance.md.
  subjects: [
    statements,
    roundTrips,
    throughput,
    byHand,
    costs,
    batches,
    concurrency,
    coldStart,
    install,
    growth,
    webhooks,
    life,
  ],
  command: "deno task bench --",
  // It finds mistakes and tolerates a busy machine: one ratio, of the named read, came to 0.27, 0.30, 0.32 and 0.36 with
  // the same code within an hour.
  shortTolerance: 0.5,
});
if (whole) {
  const results = await saveResults("latest", figures);
  // docs/performance.md shows this picture of every figure, the README the one of four operations.
  await saveImage("latest", plot(results));
  await saveImage("compared", drawComparison(results));
}
Deno.exit(figures.every(({ held }) => held) ? 0 : 1);
