import assert from "node:assert/strict";
import { resolveProbes } from "../../bench/performance/growth/coverage.ts";

Deno.test("Every endpoint and every filter of a list has a probe of the growth bench", () => {
  // resolveProbes throws with the names of those that have no probe.
  assert.ok(resolveProbes().length > 0);
});
