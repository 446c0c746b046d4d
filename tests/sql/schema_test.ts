import assert from "node:assert/strict";
import { needing } from "../support/needing.ts";
import { deno } from "../support/run.ts";

const SCHEMA = ["run", "-A", "--quiet", "--config", "tools/schema/deno.json", "tools/schema/main.ts"];
/** Names of days' partitions, which are not compared: they change every day. */
const DAY = /_\d{4}_\d\d_\d\d/;

Deno.test(needing(["the packages of tools/schema/"], {
  name: "The rights of verbs and the first release are what deno task schema would write",
  fn: async () => void await deno([...SCHEMA, "--check"]),
}));

Deno.test(needing(["the packages of tools/schema/"], {
  name: "deno task schema -- --dump prints every table, and no partition of a day",
  async fn() {
    const { stdout: dump } = await deno([...SCHEMA, "--dump"]);
    for (const name of ["crm.deals", "crm.contacts", "crm.events", "crm.webhook_queue"]) {
      assert.match(dump, new RegExp(`^CREATE (UNLOGGED )?TABLE ${name} \\(`, "m"));
    }
    assert.ok(dump.match(/^CREATE (UNLOGGED )?TABLE crm\./gm)!.length > 20);
    assert.doesNotMatch(dump, DAY);
  },
}));
