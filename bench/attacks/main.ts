/**
 * `deno task lab -- attacks` attacks the API from outside, and measures what the attack costs everyone else: the ratio of
 * a legitimate client's wait during the attack and before it, in one run, and the memory of the process that is
 * attacked. docs/security.md explains each attack.
 *
 *     deno task lab -- attacks                  every attack; also writes bench/results/attacks.json
 *     deno task lab -- attacks random-keys      one of them
 *     deno task lab -- attacks --short          small sizes and tolerant ratios, as in CI
 *
 * The exit code is 0 if every figure was held.
 */
import { saveResults } from "../harness/results.ts";
import { runSubjects } from "../harness/run_subjects.ts";
import { healthChecks } from "./subjects/health_checks.ts";
import { hostileHeaders } from "./subjects/hostile_headers.ts";
import { largeBodies } from "./subjects/large_bodies.ts";
import { largePages } from "./subjects/large_pages.ts";
import { largeWorkspace } from "./subjects/large_workspace.ts";
import { letterCase } from "./subjects/letter_case.ts";
import { manyDeliveries } from "./subjects/many_deliveries.ts";
import { mcpLists } from "./subjects/mcp_lists.ts";
import { newKeys } from "./subjects/new_keys.ts";
import { randomKeys } from "./subjects/random_keys.ts";
import { slowBodies } from "./subjects/slow_bodies.ts";
import { storedBatches } from "./subjects/stored_batches.ts";

const { figures, whole } = await runSubjects({
  // In the order of docs/security.md.
  subjects: [
    largeBodies,
    slowBodies,
    hostileHeaders,
    randomKeys,
    largeWorkspace,
    healthChecks,
    largePages,
    newKeys,
    storedBatches,
    mcpLists,
    letterCase,
    manyDeliveries,
  ],
  command: "deno task lab -- attacks",
  shortTolerance: 0.5,
});
if (whole) await saveResults("attacks", figures);
Deno.exit(figures.every(({ held }) => held) ? 0 : 1);
