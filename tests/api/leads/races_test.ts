import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { client, type Reply } from "../../support/client.ts";
import { makeKey } from "../../support/fixtures.ts";
import { test } from "../../support/scenario.ts";

const LEADS = "/api-v1-leads";
const AT_ONCE = 10;

/** Sends leads at once, each with its own key: calls with one key take turns at its rate limit. */
async function race(
  sql: Sql,
  workspaceId: string,
  lead: (index: number) => Record<string, string>,
): Promise<Reply[]> {
  const keys = await Promise.all(Array.from({ length: AT_ONCE }, () => makeKey(sql, workspaceId)));
  return await Promise.all(keys.map(({ key }, index) => client(key).post(LEADS, lead(index))));
}

test("Simultaneous leads with one external_id make one deal, and all answers but one say idempotent (spec 4.1)", async ({ sql, workspace }) => {
  const replies = await race(sql, workspace.id, () => ({
    first_name: "A",
    email: "a@x.com",
    company_name: "X",
    external_id: "one",
  }));
  assert.equal(replies.filter(({ status, body }) => status === 201 && !body.idempotent).length, 1);
  assert.equal(replies.filter(({ status, body }) => status === 200 && body.idempotent).length, AT_ONCE - 1);
  assert.equal(new Set(replies.map(({ body }) => JSON.stringify(body.lead))).size, 1);
  const [count] = await sql`
    select
      (select count(*)::int from crm.deals where workspace_id = ${workspace.id}) as deals,
      (select count(*)::int from crm.contacts where workspace_id = ${workspace.id}) as contacts,
      (select count(*)::int from crm.companies where workspace_id = ${workspace.id}) as companies,
      (select count(*)::int from crm.events where workspace_id = ${workspace.id} and event = 'lead.received') as received`;
  assert.deepEqual({ ...count }, { deals: 1, contacts: 1, companies: 1, received: 1 });
});

test("Simultaneous leads with one e-mail make one contact (spec 4.1)", async ({ sql, workspace }) => {
  const replies = await race(sql, workspace.id, (index) => ({ first_name: `A${index}`, email: "a@x.com" }));
  assert.equal(new Set(replies.map(({ body }) => body.lead.contact_id)).size, 1);
  assert.equal(replies.filter(({ body }) => body.created.contact).length, 1);
  assert.equal(new Set(replies.map(({ body }) => body.lead.deal_id)).size, AT_ONCE);
});

test("Simultaneous leads with one company name make one company (spec 4.1)", async ({ sql, workspace }) => {
  const replies = await race(sql, workspace.id, (index) => ({
    first_name: "A",
    email: `a${index}@x.com`,
    company_name: index % 2 ? "X" : " x",
  }));
  assert.equal(new Set(replies.map(({ body }) => body.lead.company_id)).size, 1);
  assert.equal(replies.filter(({ body }) => body.created.company).length, 1);
});

test("Simultaneous leads that share contacts and companies in opposite order all succeed", async ({ sql, workspace }) => {
  const replies = await race(sql, workspace.id, (index) => ({
    first_name: "A",
    email: `${index % 3}@x.com`,
    phone: `${index % 5}`,
    company_name: `C${index % 4}`,
    external_id: `e${index % 7}`,
  }));
  assert.equal(replies.filter(({ status }) => status === 201).length, 7);
  assert.ok(replies.every(({ status }) => status === 201 || status === 200));
});
