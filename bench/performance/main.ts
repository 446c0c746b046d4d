/**
 * `deno task bench` measures how far the API is from its limits. Most figures are counts or ratios. The two quantities
 * that a ratio compares are measured in turns, so that other work on the machine affects both equally.
 *
 *     deno task bench                         everything; also writes bench/results/ and docs/performance.md
 *     deno task bench -- hand growth          some subjects; writes nothing
 *     deno task bench -- --short growth       small sizes and tolerant ratios, as in CI
 *     deno task bench -- --minutes 3 life     the subject life for three minutes instead of ten
 *
 * The exit code is 0 if every figure meets its target.
 */
import { readPage, savePage, saveResults } from "../harness/results.ts";
import { runSubjects } from "../harness/run_subjects.ts";
import { PERFORMANCE_PAGE, performancePage } from "./page.ts";
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
if (whole) {
  const results = await saveResults("latest", figures);
  await savePage(PERFORMANCE_PAGE, performancePage(await readPage(PERFORMANCE_PAGE), results));
}
Deno.exit(figures.every(({ held }) => held) ? 0 : 1);
