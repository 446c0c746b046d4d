import assert from "node:assert/strict";
import { join } from "node:path";
import { needing } from "../support/needing.ts";

const ROOT = join(import.meta.dirname!, "../..");
/** Names of days' partitions, which are not compared: they change every day. */
const DAY = /_\d{4}_\d\d_\d\d/;

async function schema(option: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--config", "tools/schema/deno.json", "tools/schema/main.ts", option],
    cwd: ROOT,
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

Deno.test(needing(["the packages of tools/schema/"], {
  name: "The rights of verbs and the first release are what deno task schema would write",
  fn: async () => void await schema("--check"),
}));

Deno.test(needing(["the packages of tools/schema/"], {
  name: "deno task schema -- --dump prints every table, and no partition of a day",
  async fn() {
    const dump = await schema("--dump");
    for (const name of ["crm.deals", "crm.contacts", "crm.events", "crm.webhook_queue"]) {
      assert.match(dump, new RegExp(`^CREATE (UNLOGGED )?TABLE ${name} \\(`, "m"));
    }
    assert.ok(dump.match(/^CREATE (UNLOGGED )?TABLE crm\./gm)!.length > 20);
    assert.doesNotMatch(dump, DAY);
  },
}));
