// The reply to one POST is limited in size: otherwise an isolate would hold up to 20 large replies for one POST.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Sql } from "postgres";
import { post, request } from "../support/mcp.ts";
import { test } from "../support/scenario.ts";

const MAX_REPLY_BYTES = 2_000_000;

/** Adds contacts so large that 28 fill the largest page that the API returns, some 500 KB. */
function addContacts(sql: Sql, workspaceId: string, count: number): Promise<unknown> {
  return sql`
    insert into crm.contacts (workspace_id, owner_id, name, custom_fields)
    select m.workspace_id, m.id, 'Ana', jsonb_build_object('texto', repeat('"', 9000))
    from crm.members m, generate_series(1, ${count}::integer)
    where m.workspace_id = ${workspaceId}`;
}

const call = (id: number, name: string, args: unknown) =>
  request("tools/call", { name, arguments: args }, id);

test("A JSON-RPC batch of 20 messages with large reads is answered in under 2 MB: a change before the first large reply is made, and nothing after it is carried out", async ({ sql, workspace: { id, key }, api }) => {
  await addContacts(sql, id, 40);
  const create = (id: number, name: string) => call(id, "companies_create", { name });
  const list = [
    create(0, "Antes"),
    ...Array.from({ length: 18 }, (_, n) => call(n + 1, "contacts_list", { limit: 20, format: "detailed" })),
    create(19, "Depois"),
  ];
  const calls = async () => {
    const { headers } = await post(call(1, "me_get", {}), { "X-API-Key": key });
    return Number(/r=(\d+)/.exec(headers.get("RateLimit")!)![1]);
  };
  const before = await calls();
  const { text, body } = await post(list, { "X-API-Key": key });
  assert.equal(before - await calls(), 3, "two calls of the list, and the call that reads the count");
  assert.ok(text.length > 500_000 && Buffer.byteLength(text) < MAX_REPLY_BYTES, `${text.length}`);
  assert.deepEqual(body.map(({ id }: { id: number }) => id), list.map(({ id }) => id));
  assert.equal(body[1].result.structuredContent.data.length, 20);
  for (const { error } of body.slice(2)) {
    assert.equal(error.code, -32600);
    assert.match(error.message, /não foi executada.*envie-a em outra requisição/);
  }
  const { body: { data } } = await api.get("/api-v1-companies");
  assert.deepEqual(data.map(({ name }: { name: string }) => name), ["Antes"]);
});
