// Items of a batch that read a record.
import assert from "node:assert/strict";
import { SCOPES } from "../../../supabase/functions/_shared/contract/scopes.ts";
import { assertError, client } from "../../support/client.ts";
import { makeKey } from "../../support/fixtures.ts";
import { create } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";

test("A batch reads up to 100 records in one call, each in the form of its GET by id", async ({ workspace, api, newDeal }) => {
  const { key } = workspace;
  const deals = [(await newDeal()).id, (await newDeal()).id];
  const items = deals.map((id) => ({ op: "get", id }));
  const unknown = { op: "get", id: crypto.randomUUID() };
  const { body } = await api.post("/api-v1-deals/batch", { items: [...items, unknown, { op: "get" }] });
  assert.deepEqual(body.summary, { created: 0, updated: 0, failed: 2 });
  for (const [index, id] of deals.entries()) {
    const { body: record } = await api.get(`/api-v1-deals/${id}`);
    assert.deepEqual(body.results[index], { index, status: 200, id, record });
  }
  assert.deepEqual([body.results[2].status, body.results[2].error.code], [404, "not_found"]);
  assert.deepEqual(body.results[3].error.details, [{ field: "items[3].id", message: "Campo obrigatório" }]);
  const note = await create(key, "/api-v1-notes", { deal_id: deals[0], body: "Ligou" });
  const mixed = [{ op: "create", data: { deal_id: deals[0], body: "Outra" } }, { op: "get", id: note.id }];
  const { body: { results, summary } } = await api.post("/api-v1-notes/batch", { items: mixed });
  assert.deepEqual([summary.created, results[1].record.body], [1, "Ligou"]);
});

test("A batch reads a record only if the key has the scope to read it; the scope to write is not enough (spec 5)", async ({ sql, workspace: { id, key }, newDeal }) => {
  const deal = await newDeal();
  const ids: Record<string, string> = { contacts: deal.contactId, deals: deal.id };
  ids["companies"] = (await create(key, "/api-v1-companies", { name: "Padaria Sol" })).id;
  ids["notes"] = (await create(key, "/api-v1-notes", { deal_id: deal.id, body: "Ligou" })).id;
  ids["activities"] = (await create(key, "/api-v1-activities", { deal_id: deal.id, title: "Ligar" })).id;
  const writes = await makeKey(sql, id, { scopes: SCOPES.filter((scope) => !scope.endsWith(":read")) });
  for (const [name, id] of Object.entries(ids)) {
    const items = [{ op: "get", id }];
    const { body } = await client(writes.key).post(`/api-v1-${name}/batch`, { items });
    const [result] = body.results;
    assert.deepEqual([result.status, result.error?.code], [403, "insufficient_scope"], name);
    assert.equal("record" in result, false);
    assert.deepEqual(result.error.details, [
      { field: "items[0].op", message: `Ler exige o escopo "${name}:read"` },
    ]);
    const repeated = { "Idempotency-Key": crypto.randomUUID() };
    const read = await client(key).post(`/api-v1-${name}/batch`, { items }, repeated);
    assert.equal(read.body.results[0].record.id, id);
    assertError(
      await client(writes.key).post(`/api-v1-${name}/batch`, { items }, repeated),
      "insufficient_scope",
    );
  }
});

test("A batch stops reading records after 500 KB, and answers too_many_records for the rest", async ({ sql, workspace: { id, memberId }, api }) => {
  const made = await sql<{ id: string }[]>`
    insert into crm.contacts (workspace_id, owner_id, name, custom_fields)
    select ${id}, ${memberId}, 'Ana', jsonb_build_object('texto', repeat('"', 9000)) from generate_series(1, 100)
    returning id`;
  const items = made.map(({ id }) => ({ op: "get", id }));
  const { body, text } = await api.post("/api-v1-contacts/batch", { items });
  const read = body.results.filter(({ status }: { status: number }) => status === 200).length;
  assert.ok(read >= 40 && read <= 70, `${read}`);
  assert.ok(text.length < 1_500_000, `${text.length}`);
  const codes = new Set(body.results.slice(read).map(({ error }: { error: { code: string } }) => error.code));
  assert.deepEqual([...codes], ["too_many_records"]);
});
