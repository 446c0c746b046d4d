import assert from "node:assert/strict";
import { type Body, create, eventsOf } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";

const RECORDS: Record<string, Body> = {
  contacts: { name: "Ana", external_id: "1" },
  companies: { name: "Padaria Sol", external_id: "1" },
  deals: { title: "Venda", external_id: "1" },
};

/** A record without updated_at and the fields that only GET of a deal by id has. */
function shown(
  { contact: _, company: __, last_activity: ___, lead: ____, updated_at: _____, ...fields }: Body,
): Body {
  return fields;
}

for (const [name, body] of Object.entries(RECORDS)) {
  const path = `/api-v1-${name}`;

  test(`POST ${path}/:id/archive archives once, restore brings the record back as it was, and an archived record can be changed and referred to`, async ({ sql, workspace, api }) => {
    const record = await create(workspace.key, path, body);
    const archived = await api.post(`${path}/${record.id}/archive`);
    assert.equal(archived.status, 200);
    const { archived_at } = archived.body;
    assert.ok(archived_at >= record["created_at"]!);
    assert.deepEqual(shown(archived.body), { ...shown(record), archived_at });
    assert.deepEqual((await api.post(`${path}/${record.id}/archive`, {})).body, archived.body, "repeated");
    assert.equal(
      (await api.get(`${path}/${record.id}`)).body.archived_at,
      archived_at,
      "an archived record can be read",
    );

    const restored = await api.post(`${path}/${record.id}/restore`);
    assert.equal(restored.status, 200);
    assert.deepEqual(shown(restored.body), shown(record));
    assert.deepEqual((await api.post(`${path}/${record.id}/restore`)).body, restored.body, "repeated");

    const updates = await sql<{ facts: unknown }[]>`
      select facts from crm.events where workspace_id = ${workspace.id} and event::text like '%.updated'`;
    const change = { changed_fields: ["archived_at"] };
    assert.deepEqual(updates.map(({ facts }) => facts), [change, change]);
    assert.equal((await eventsOf(sql, workspace.id)).length, 3);

    const { body: { archived_at: later } } = await api.post(`${path}/${record.id}/archive`);
    const changed = await api.patch(`${path}/${record.id}`, { custom_fields: { a: 1 } });
    assert.deepEqual([changed.body.archived_at, changed.body.custom_fields], [later, { a: 1 }]);
    if (name !== "deals") {
      const field = name === "contacts" ? "contact_id" : "company_id";
      const deal = await api.post("/api-v1-deals", { [field]: record.id });
      assert.deepEqual([deal.status, deal.body[field]], [201, record.id]);
    }
  });
}
