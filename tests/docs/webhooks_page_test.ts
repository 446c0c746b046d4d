import assert from "node:assert/strict";
import { join, resolve } from "node:path";
import { createProgram } from "../../cli/program.ts";
import { openMailbox } from "../support/mailbox.ts";
import { needing } from "../support/needing.ts";
import { dataDir, openDatabase } from "../support/stack.ts";
import { subscribe } from "../support/webhooks.ts";
import { readPage, readSnippet } from "./page.ts";
import { test } from "../support/scenario.ts";

const page = await readPage("webhooks.md");

test("The body that docs/webhooks.md shows has the fields of a real one", async ({ workspace: { key }, api }) => {
  const mailbox = openMailbox();
  await subscribe(key, mailbox.url, ["contact.created"]);
  await api.post("/api-v1-contacts", { name: "João" });
  const { body } = (await mailbox.waitFor(1))[0]!;
  const shown = JSON.parse(await readSnippet("webhooks.md", "What arrives", "json"));
  assert.deepEqual(Object.keys(shown), Object.keys(body));
  assert.deepEqual(Object.keys(shown.data), Object.keys(body.data));
});

Deno.test("Every command that docs/webhooks.md names is there", () => {
  const named = [...page.matchAll(/`deno task crm (\w+) (\w+) /g)];
  assert.ok(named.length > 0);
  for (const [text, group, name] of named) {
    const found = createProgram().commands.find((command) => command.name() === group)?.commands;
    assert.ok(found?.some((command) => command.name() === name), text);
  }
});

Deno.test(needing(["bash", "curl"], {
  name: "The curls of docs/webhooks.md work as pasted, and leave no subscription behind",
  fn: async () => {
    const blocks = [...page.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block]) => block!);
    assert.ok(blocks.length > 0);
    // Without DATA_DIR the page names the default data folder, `.local`.
    const folder = await Deno.makeTempDir();
    try {
      await Deno.symlink(resolve(dataDir), join(folder, ".local"));
      const script = ["set -eo pipefail", 'curl() { command curl --fail-with-body "$@"; }', ...blocks].join(
        "\n",
      );
      const { success, stdout, stderr } = await new Deno.Command("bash", {
        args: ["-c", `${script}\necho; echo "ID=$ID"`],
        cwd: folder,
        env: { DATA_DIR: "" },
      }).output();
      const printed = new TextDecoder().decode(stdout);
      assert.ok(success, printed + new TextDecoder().decode(stderr));
      const id = /^ID=([0-9a-f-]{36})$/m.exec(printed)?.[1];
      await using sql = openDatabase();
      const [row] = await sql`select is_active from crm.webhook_subscriptions where id = ${id ?? null}`;
      assert.equal(row?.["is_active"], false);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
}));
