/**
 * `deno task lab -- attacks` attacks the API from outside. It measures how much longer a legitimate client waits during
 * an attack. It also measures the processor time of an attacking request, and the memory of the attacked process.
 * docs/security.md explains each attack.
 *
 *     deno task lab -- attacks                  every attack; also writes bench/results/attacks.json
 *     deno task lab -- attacks random-keys      one attack
 *     deno task lab -- attacks --short          small sizes and tolerant ratios, as in CI
 *
 * The exit code is 0 if every figure meets its target.
 */
import { readPage, savePage, saveResults } from "../harness/results.ts";
import { runSubjects } from "../harness/run_subjects.ts";
import { ATTACKS } from "./attacks.ts";
import { SECURITY_PAGE, securityPage } from "./page.ts";
import { closeSharedWorld, subjectOf } from "./world.ts";

const { figures, whole } = await runSubjects({
  subjects: ATTACKS.map(subjectOf),
  command: "deno task lab -- attacks",
});
await closeSharedWorld();
if (whole) {
  const results = await saveResults("attacks", figures);
  await savePage(SECURITY_PAGE, securityPage(await readPage(SECURITY_PAGE), results));
}
Deno.exit(figures.every(({ held }) => held) ? 0 : 1);
