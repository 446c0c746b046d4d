/**
 * `deno task bench` measures how far the API is from its limits. Most figures are counts or ratios. The two quantities
 * that a ratio compares are measured in turns, so that other work on the machine affects both equally. The exit code is
 * 0 if every figure meets its target. docs/performance.md explains the figures and the options.
 */
import { saveRun } from "../harness/results.ts";
import { runSubjects } from "../harness/run_subjects.ts";
import { coldStart } from "./subjects/cold_start.ts";
import { growth } from "./subjects/growth.ts";
import { life } from "./subjects/life.ts";
import { roundTrips } from "./subjects/round_trips.ts";
import { upgrade } from "./subjects/upgrade.ts";
import { byHand } from "./subjects/hand.ts";

const { figures, whole } = await runSubjects({
  // The order of docs/performance.md.
  subjects: [roundTrips, byHand, coldStart, growth, life, upgrade],
  command: "deno task bench --",
});
if (whole) await saveRun("latest", figures);
Deno.exit(figures.every(({ held }) => held) ? 0 : 1);
