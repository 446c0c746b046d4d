// A batch creates ten records with one statement, so that it uses fewer subtransactions than Postgres caches.
import assert from "node:assert/strict";
import { batches, create, statuses, upsert } from "../../support/batches.ts";
import { client } from "../../support/client.ts";
import { makeWorkspaceWithDeal } from "../../support/fixtures.ts";
import { UNKNOWN_ID } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";

for (const { resource, title } of batches) {
  const path = `/${resource.name}`;
  const table = resource.name.replace("api-v1-", "crm.");
  const isOfDeal = ["api-v1-activities", "api-v1-notes"].includes(resource.name);
  const shown = { "crm.notes": "body", "crm.activities": "title", "crm.deals": "title" }[table] ?? "name";

  test(`${title} inserts ten records with one statement, even if another item of the group fails`, async ({ sql }) => {
    const { workspace: { key }, deal } = await makeWorkspaceWithDeal(sql);
    const bodyFor = (index: number) => ({ [shown]: `Item ${index}`, ...(isOfDeal && { deal_id: deal.id }) });
    const items = Array.from({ length: 30 }, (_, index) => create(bodyFor(index)));
    items[13] = create({ ...bodyFor(13), [isOfDeal ? "deal_id" : "owner_id"]: UNKNOWN_ID });
    const { body: { results, summary } } = await client(key).post(`${path}/batch`, { items });
    assert.deepEqual(summary, { created: 29, updated: 0, failed: 1 });
    assert.equal(results[13].error.code, "invalid_reference");

    const rows = await sql<{ id: string; text: string; statement: string }[]>`
      select id, ${sql(shown)} as text, xmin || ' ' || cmin as statement from ${sql(table)}
      where id = any (${results.flatMap(({ id }: { id?: string }) => id ?? [])}::uuid[])`;
    const byId = new Map(rows.map((row) => [row.id, row]));
    const statements = (from: number) =>
      results.slice(from, from + 10).flatMap(({ id }: { id?: string }) =>
        id === undefined ? [] : byId.get(id)!.statement
      );
    for (const { index, id } of results) if (index !== 13) assert.equal(byId.get(id)!.text, `Item ${index}`);
    assert.deepEqual([0, 10, 20].map((from) => new Set(statements(from)).size), [1, 1, 1]);
  });
}

for (const path of ["/api-v1-contacts", "/api-v1-companies"]) {
  test(`POST ${path}/batch creates the records of upserts with new external_ids by one statement, and finds stored records and those of earlier items`, async ({ sql, api }) => {
    const byId = (external_id: string | null, name: string) => upsert("external_id", { external_id, name });
    const send = async (...items: unknown[]) => {
      const reply = await api.post(`${path}/batch`, { items });
      const made = reply.body.results.map(({ id }: { id?: string }) => id);
      const rows = await sql<{ id: string; statement: string }[]>`
        select id, xmin || ' ' || cmin as statement from ${sql(path.replace("/api-v1-", "crm."))}
        where id = any (${made.filter(Boolean)}::uuid[])`;
      const statements = new Set(rows.map(({ statement }) => statement)).size;
      return { statuses: statuses(reply), ids: made, statements };
    };
    const first = await send(byId("1", "A"), create({ name: "B" }), byId("2", "C"));
    assert.deepEqual([first.statuses, first.statements], [[201, 201, 201], 1]);
    const twice = await send(byId("3", "A"), byId("3", "B"), byId("1", "C"));
    assert.deepEqual(twice.statuses, [201, 200, 200]);
    assert.deepEqual(twice.ids, [twice.ids[0], twice.ids[0], first.ids[0]]);
    const taken = await send(byId("4", "A"), create({ external_id: "4", name: "B" }), byId(null, "C"));
    assert.deepEqual(taken.statuses, [201, 409, 422]);
  });
}
