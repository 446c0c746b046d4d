import assert from "node:assert/strict";
import { join } from "node:path";
import { needing } from "../support/needing.ts";

const SCRIPT = join(import.meta.dirname!, "../../lab/performance/main.ts");

async function measure(subject: string): Promise<void> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", SCRIPT, "--short", subject],
  }).output();
  assert.ok(success, new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr));
}

// The sizes of `--short`; the whole figures are in docs/performance.md. Statements per request are counted by
// tests/contract/one_statement_test.ts.
Deno.test(needing(["pgbouncer"], {
  name: "A request takes one round trip to the database, also behind a transaction pooler",
  fn: () => measure("round-trips"),
}));

Deno.test("The API reaches its share of the throughput of a bare select or insert", () =>
  measure("throughput"));
