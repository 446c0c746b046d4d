import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { makeWorkspace } from "../support/fixtures.ts";
import { openDatabase } from "../support/stack.ts";
import { client } from "../support/client.ts";
import { eventually } from "../support/mailbox.ts";

const LEADS = 2_000;
const KEYS = 20_000;

Deno.test("a contact with 2,000 leads, in a workspace with 20,000 stored replies, is erased: at once the contact, then the rest in steps", async () => {
  await using sql = openDatabase();
  // The statistics are taken while only another workspace has replies, so the planner expects none in this workspace.
  await storeReplies(sql, (await makeWorkspace(sql)).id);
  await sql`analyze crm.idempotency_keys`;
  const workspace = await makeWorkspace(sql);
  const api = client(workspace.key);
  const lead = { first_name: "Zuleica", last_name: "Souza", email: "zuleica@exemplo.com" };
  const { body: { lead: { contact_id, deal_id } } } = await api.post("/api-v1-leads", lead);
  await sql`
    insert into crm.deals (
      workspace_id, title, pipeline_id, stage_id, contact_id, owner_id, external_id, utm, custom_fields, lead
    )
    select
      d.workspace_id, 'Zuleica ' || n, d.pipeline_id, d.stage_id, d.contact_id, d.owner_id, 'zuleica ' || n,
      '{"source": "google"}', jsonb_build_object('n', n, 'quem', 'zuleica' || n),
      d.lead || jsonb_build_object('first_name', 'Zuleica', 'last_name', n, 'phone', (11900000000 + n)::text)
    from crm.deals d, generate_series(2, ${LEADS}::integer) n
    where d.id = ${deal_id}`;
  await storeReplies(sql, workspace.id);
  const reply = await api.post(`/api-v1-contacts/${contact_id}/erase`, { texts: false });
  assert.equal(reply.status, 202, reply.text);
  const { body: { name } } = await api.get(`/api-v1-contacts/${contact_id}`);
  assert.equal(name, "Contato apagado");
  const operation = `/api-v1-operations/${reply.body.operation.id}`;
  await eventually(async () => {
    await sql`select crm.run_operations()`;
    return (await api.get(operation)).body.state === "done";
  }, "the end of the erasure");
  const [row] = await sql<[{ left: number; keys: number }]>`
    select
      (select count(*)::integer from crm.deals d where d.contact_id = ${contact_id} and d::text ~* 'souza|1190000') as left,
      (select count(*)::integer from crm.idempotency_keys i where i.workspace_id = ${workspace.id}) as keys`;
  assert.deepEqual({ ...row }, { left: 0, keys: KEYS });
});

/** Stores KEYS replies to earlier requests in a workspace, none of which shows an existing record. */
async function storeReplies(sql: Sql, workspaceId: string): Promise<void> {
  await sql`
    insert into crm.idempotency_keys (workspace_id, key, request_hash, body)
    select ${workspaceId}, gen_random_uuid()::text, '', '{"id" : "' || gen_random_uuid() || '"}'
    from generate_series(1, ${KEYS}::integer)`;
}
