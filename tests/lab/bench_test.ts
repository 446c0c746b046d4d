import assert from "node:assert/strict";
import { runShort } from "../support/lab.ts";
import { needing } from "../support/needing.ts";

/** Runs a subject with the sizes of `--short`; docs/performance.md has the figures of full runs. */
async function assertWithinLimits(subject: string): Promise<void> {
  const { code, output } = await runShort("performance", subject);
  assert.equal(code, 0, output);
}

// Measures a few requests; tests/contract/one_statement_test.ts counts the statements of every request.
Deno.test(needing(["pgbouncer"], {
  name: "A request takes one round trip to the database, also behind a transaction pooler",
  fn: () => assertWithinLimits("round-trips"),
}));

Deno.test(needing(["the packages of tools/schema/"], {
  name: "An upgrade with a change of each kind fails no request, and loses and repeats no delivery",
  fn: () => assertWithinLimits("upgrade"),
}));

Deno.test("The API reaches its share of the throughput of a function written by hand", () =>
  assertWithinLimits("hand"));
