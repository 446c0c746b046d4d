// How much one POST may be answered: a key could otherwise have an isolate hold a hundred megabytes.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Sql } from "postgres";
import { post, request, toolClient } from "../support/mcp.ts";
import { test } from "../support/scenario.ts";

const MAX_REPLY_BYTES = 2_000_000;

/** Contacts of which 200 fill the largest page that the API answers, some 1 MB. */
function addContacts(sql: Sql, workspaceId: string, count: number): Promise<unknown> {
  return sql`
    insert into crm.contacts (workspace_id, owner_id, name, custom_fields)
    select m.workspace_id, m.id, 'Ana', jsonb_build_object('texto', repeat('"', 9000))
    from crm.members m, generate_series(1, ${count}::integer)
    where m.workspace_id = ${workspaceId}`;
}

const call = (id: number, name: string, args: unknown) =>
  request("tools/call", { name, arguments: args }, id);

test("A list of 20 large reads is answered under 2 MB: the messages after the first large reply are not carried out", async ({ sql, workspace: { id, key } }) => {
  await addContacts(sql, id, 40);
  const list = Array.from({ length: 20 }, (_, index) => call(index, "contacts_list", { limit: 20 }));
  const calls = async () => {
    const { headers } = await post(call(1, "me_get", {}), { "X-API-Key": key });
    return Number(/r=(\d+)/.exec(headers.get("RateLimit")!)![1]);
  };
  const before = await calls();
  const { text, body } = await post(list, { "X-API-Key": key });
  assert.equal(before - await calls(), 2, "one of the list, and the call that asks");
  assert.ok(text.length > 500_000 && Buffer.byteLength(text) < MAX_REPLY_BYTES, `${text.length}`);
  assert.deepEqual(body.map(({ id }: { id: number }) => id), list.map(({ id }) => id));
  assert.equal(body[0].result.structuredContent.data.length, 20);
  for (const { error } of body.slice(1)) {
    assert.equal(error.code, -32600);
    assert.match(error.message, /não foi executada.*envie-a em outra requisição/);
  }
});

test("A change behind a large reply in a list is not made, and one before it is", async ({ sql, workspace: { id, key }, api }) => {
  await addContacts(sql, id, 20);
  const create = (id: number, name: string) => call(id, "companies_create", { name });
  const { body } = await post(
    [create(1, "Antes"), call(2, "contacts_list", { limit: 20 }), create(3, "Depois")],
    { "X-API-Key": key },
  );
  assert.deepEqual(body.map((message: Record<string, unknown>) => "result" in message), [true, true, false]);
  const { body: { data } } = await api.get("/api-v1-companies");
  assert.deepEqual(data.map(({ name }: { name: string }) => name), ["Antes"]);
});

test("A read whose reply is too large for an assistant names the argument that makes it smaller", async ({ sql, workspace: { id, key } }) => {
  await addContacts(sql, id, 120);
  const list = toolClient(key);
  const { isError, data } = await list("contacts_list", { limit: 120 });
  assert.deepEqual([
    isError,
    data.error.code,
    data.error.details.map(({ field }: { field: string }) => field),
  ], [
    true,
    "validation_error",
    ["limit"],
  ]);
  const { data: { data: page, meta } } = await list("contacts_list", { limit: 25 });
  assert.deepEqual([page.length, meta.has_more], [25, true]);

  // The database has read it, so it counts although it is not shown.
  const large = Array.from({ length: 20 }, (_, index) => call(index, "contacts_list", { limit: 120 }));
  const { text, body: [first, ...others] } = await post(large, { "X-API-Key": key });
  assert.equal(first.result.isError, true);
  for (const { error } of others) assert.match(error.message, /não foi executada/);
  assert.ok(text.length < 50_000, `${text.length}`);
});
