// The reply to one POST is limited in size: otherwise an isolate would hold up to 20 large replies for one POST.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Sql } from "postgres";
import { post, request, toolClient } from "../support/mcp.ts";
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

test("A JSON-RPC batch of 20 large reads is answered in under 2 MB: the messages after the first large reply are not carried out", async ({ sql, workspace: { id, key } }) => {
  await addContacts(sql, id, 40);
  const list = Array.from(
    { length: 20 },
    (_, index) => call(index, "contacts_list", { limit: 20, format: "detailed" }),
  );
  const calls = async () => {
    const { headers } = await post(call(1, "me_get", {}), { "X-API-Key": key });
    return Number(/r=(\d+)/.exec(headers.get("RateLimit")!)![1]);
  };
  const before = await calls();
  const { text, body } = await post(list, { "X-API-Key": key });
  assert.equal(before - await calls(), 2, "one call of the list, and the call that reads the count");
  assert.ok(text.length > 500_000 && Buffer.byteLength(text) < MAX_REPLY_BYTES, `${text.length}`);
  assert.deepEqual(body.map(({ id }: { id: number }) => id), list.map(({ id }) => id));
  assert.equal(body[0].result.structuredContent.data.length, 20);
  for (const { error } of body.slice(1)) {
    assert.equal(error.code, -32600);
    assert.match(error.message, /não foi executada.*envie-a em outra requisição/);
  }
});

test("In a JSON-RPC batch, a change before a large reply is made, and a change after it is not", async ({ sql, workspace: { id, key }, api }) => {
  await addContacts(sql, id, 20);
  const create = (id: number, name: string) => call(id, "companies_create", { name });
  const { body } = await post(
    [create(1, "Antes"), call(2, "contacts_list", { limit: 20, format: "detailed" }), create(3, "Depois")],
    { "X-API-Key": key },
  );
  assert.deepEqual(body.map((message: Record<string, unknown>) => "result" in message), [true, true, false]);
  const { body: { data } } = await api.get("/api-v1-companies");
  assert.deepEqual(data.map(({ name }: { name: string }) => name), ["Antes"]);
});

test("A page of large records ends early for an assistant too, and says that there are more", async ({ sql, workspace: { id, key } }) => {
  await addContacts(sql, id, 120);
  const { isError, data: { data: page, meta } } = await toolClient(key)("contacts_list", { limit: 120 });
  assert.deepEqual([isError, meta.has_more], [false, true]);
  assert.ok(page.length > 20 && page.length < 30, `${page.length}`);
});
