import assert from "node:assert/strict";
import { baseUrl } from "../support/stack.ts";
import { openPage } from "./claims.ts";
import { shell } from "./guide.ts";
import { openReader } from "./reader.ts";

const page = await openPage("index", { sh: 1, json: 1 });

shell.test("The call of the site's home page creates what it shows, and creates nothing when it is sent again", async ({ workspace }) => {
  const env = { CRM_URL: baseUrl, CRM_KEY: workspace.key };
  await using reader = await openReader(baseUrl, workspace.key, env);
  const call = async () => JSON.parse((await reader.run(page.blocks.sh[0]!)).join("\n"));
  const shown = JSON.parse(page.blocks.json[0]!);
  const { lead, ...rest } = await call();
  assert.deepEqual(Object.keys(lead), Object.keys(shown.lead));
  assert.equal(lead.status, shown.lead.status);
  assert.deepEqual({ lead: shown.lead, ...rest }, shown);
  const again = await call();
  assert.equal(again.idempotent, true);
  for (const id of ["deal_id", "contact_id", "company_id"]) assert.equal(again.lead[id], lead[id]);
});
