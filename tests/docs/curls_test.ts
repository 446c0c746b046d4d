import assert from "node:assert/strict";
import { join } from "node:path";
import { makeContacts } from "../support/feed_rows.ts";
import { openMailbox } from "../support/mailbox.ts";
import { apiResources } from "../support/resources.ts";
import { baseUrl } from "../support/stack.ts";
import { openPage } from "./claims.ts";
import { shell } from "./guide.ts";
import { CURL_FAILS, openReader } from "./reader.ts";

const resources = await openPage("resources", { sh: "all" });
const events = await openPage("events", { sh: 3 });

/** Resources without a curl on the page: their calls need a customer's link, and no key can make one. */
const WITHOUT_CURL = ["proposals"];

Deno.test("The resources page has a section with a curl for every resource", () => {
  for (const page of [resources.pt, resources.en]) {
    const sections = page.split(/^## /m).slice(1);
    for (const { name } of apiResources) {
      const isTold = (section: string) =>
        WITHOUT_CURL.includes(name)
          ? section.includes(`/${name}/<token>`)
          : section.includes("curl") && section.includes(`"$CRM_URL/${name}`);
      assert.equal(sections.filter(isTold).length, 1, name);
    }
  }
});

for (const { slug, blocks } of [resources, events]) {
  shell.test(`The curls of the ${slug} page work as pasted, one after the other, and leave no subscription behind`, async ({ workspace, sql }) => {
    await using reader = await openReader(baseUrl, workspace.key, { TARGET: openMailbox().url });
    await reader.run([CURL_FAILS, ...blocks.sh].join("\n"));
    const active = await sql`
          select from crm.webhook_subscriptions where workspace_id = ${workspace.id} and is_active`;
    assert.equal(active.length, 0);
  });
}

shell.test("The events page's shell reader keeps its cursor when a call fails, and then continues from the cursor", async ({ sql, workspace }) => {
  await using reader = await openReader(baseUrl, workspace.key);
  const read = (key = workspace.key) =>
    reader.run(`CRM_URL=${baseUrl}\nCRM_KEY=${key}\n${events.blocks.sh[1]}`);
  const stored = (name: string) => Deno.readTextFile(join(reader.folder, name));
  const names = async () =>
    (await stored("crm-events.jsonl")).trim().split("\n").flatMap((page) => JSON.parse(page).data)
      .map(({ data }) => data.name);
  await makeContacts(sql, workspace, 2, "Antes");
  await read();
  const cursor = await stored("crm-cursor");
  await read("svc_wrong");
  assert.equal(await stored("crm-cursor"), cursor);
  await makeContacts(sql, workspace, 1, "Depois");
  await read();
  assert.deepEqual(await names(), ["Antes 1", "Antes 2", "Depois 1"]);
});
