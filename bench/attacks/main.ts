/**
 * `deno task lab -- attacks` attacks the API from outside. It measures how much longer a legitimate client waits during
 * an attack. It also measures the processor time of an attacking request, and the memory of the attacked process.
 * docs/security.md explains each attack. A whole run also writes bench/results/attacks.json. The exit code is 0 if every
 * figure meets its target.
 */
import { saveRun } from "../harness/results.ts";
import { runSubjects } from "../harness/run_subjects.ts";
import { ATTACKS } from "./attacks.ts";
import { closeSharedWorld, subjectOf } from "./world.ts";

const { figures, whole } = await runSubjects({
  subjects: ATTACKS.map(subjectOf),
  command: "deno task lab -- attacks",
});
await closeSharedWorld();
if (whole) await saveRun("attacks", figures);
Deno.exit(figures.every(({ held }) => held) ? 0 : 1);
