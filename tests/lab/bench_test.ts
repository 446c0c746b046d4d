import { runShort } from "../support/lab.ts";
import { needing } from "../support/needing.ts";

// Runs with the sizes of `--short`; docs/performance.md has the figures of whole runs. The statements of each request
// are counted by tests/contract/one_statement_test.ts.
Deno.test(needing(["pgbouncer"], {
  name: "A request takes one round trip to the database, also behind a transaction pooler",
  fn: () => runShort("performance", "round-trips"),
}));

Deno.test("The API reaches its share of the throughput of a function written by hand", () =>
  runShort("performance", "hand"));
