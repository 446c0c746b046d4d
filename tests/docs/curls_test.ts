import assert from "node:assert/strict";
import { openMailbox } from "../support/mailbox.ts";
import { apiResources } from "../support/resources.ts";
import { baseUrl } from "../support/stack.ts";
import { openPage } from "./claims.ts";
import { shell } from "./guide.ts";
import { CURL_FAILS, openReader } from "./reader.ts";

const resources = await openPage("resources", { sh: "all" });
const events = await openPage("events", { sh: 2 });

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
