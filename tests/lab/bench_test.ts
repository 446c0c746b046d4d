import { runShort } from "../support/lab.ts";
import { needing } from "../support/needing.ts";

// Runs with the sizes of `--short`; docs/performance.md has the figures of full runs. The statements of each request
// are counted by tests/contract/one_statement_test.ts.
Deno.test(needing(["pgbouncer"], {
  name: "A request takes one round trip to the database, also behind a transaction pooler",
  fn: () => runShort("performance", "round-trips"),
}));

Deno.test(needing(["the packages of tools/schema/"], {
  name: "An upgrade with a change of each kind fails no request, and loses and repeats no delivery",
  fn: () => runShort("performance", "upgrade"),
}));

Deno.test("The API reaches its share of the throughput of a function written by hand", () =>
  runShort("performance", "hand"));
