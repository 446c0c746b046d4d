// The parameter `sort`, and cursors that stay exact while the sorted values change.
import assert from "node:assert/strict";
import { assertError } from "../../support/client.ts";
import { create, ids, readPages } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";

const DEALS = "/api-v1-deals";

test("Deals are sorted by value in either direction, deals without a value last, and pages have each deal once", async ({ workspace, api }) => {
  const { key } = workspace;
  const [a, none, c, b, other, same] = [
    await create(key, DEALS, { title: "A", value: 100 }),
    await create(key, DEALS, { title: "N" }),
    await create(key, DEALS, { title: "C", value: 300.1 }),
    await create(key, DEALS, { title: "B", value: 0.3 }),
    await create(key, DEALS, { title: "N" }),
    await create(key, DEALS, { title: "S", value: 100 }),
  ].map(({ id }) => id);
  for (
    const [sort, expected] of [
      ["-value", [c, same, a, b, other, none]],
      ["value", [b, a, same, c, none, other]],
      ["created_at", [a, none, c, b, other, same]],
      ["-created_at", [same, other, b, c, none, a]],
    ] as const
  ) {
    for (const limit of [1, 4, 50]) {
      const pages = await readPages(api, `${DEALS}?sort=${sort}&limit=${limit}`);
      assert.deepEqual(pages.flatMap(ids), expected, `${sort}, ${limit} a page`);
    }
  }
  const { body } = await api.get(`${DEALS}?sort=-value&limit=1&expand=owner`);
  assert.equal(body.data[0].owner.id, workspace.memberId);
});

test("The cursor continues where the page ended, even if the value of its last deal has changed", async ({ workspace, api }) => {
  const made = [];
  for (const value of [500, 400, 300, 200, 100]) {
    made.push((await create(workspace.key, DEALS, { title: "A", value })).id);
  }
  const first = await api.get(`${DEALS}?sort=-value&limit=2`);
  assert.deepEqual(ids(first), made.slice(0, 2));
  await api.patch(`${DEALS}/${made[1]}`, { value: 1 });
  await api.patch(`${DEALS}/${made[0]}`, { value: null });
  const rest = await api.get(`${DEALS}?sort=-value&limit=3&cursor=${first.body.meta.next_cursor}`);
  assert.deepEqual(ids(rest), made.slice(2), "unchanged deals are listed once");
  // Reading a page again gives the same cursor.
  const cursor = async () => (await api.get(`${DEALS}?sort=value&limit=2`)).body.meta.next_cursor;
  assert.equal(await cursor(), await cursor());
});

test("A sorted list applies its filters, stays within its workspace, and says which cursors it accepts", async ({ sql, workspace, api, newDeal }) => {
  const { id } = await newDeal();
  await sql`update crm.deals set moved_at = now() - interval '40 days' where id = ${id}`;
  const deal = (value: number, expected_close_date: string) =>
    create(workspace.key, DEALS, { title: "A", value, expected_close_date });
  await deal(10, "2027-01-31");
  const [open, won] = [await deal(20, "2026-12-01"), await deal(30, "2026-11-30")];
  await api.post(`${DEALS}/${won.id}/win`);
  await api.post(`${DEALS}/${id}/archive`);
  assert.deepEqual(ids(await api.get(`${DEALS}?sort=expected_close_date&status=aberto&limit=1`)), [open.id]);
  assert.deepEqual(ids(await api.get(`${DEALS}?sort=moved_at&archived=true`)), [id]);
  const owned = await api.get(`${DEALS}?sort=-value&since=2020-01-01&owner_id=${workspace.memberId}`);
  assert.equal(ids(owned)[0], won.id);
  assert.deepEqual(ids(await api.get(`${DEALS}?sort=-updated_at&status=ganho,perdido`)), [won.id]);
  const { body: { meta } } = await api.get(`${DEALS}?sort=value&limit=1`);
  for (const cursor of [open.id, meta.next_cursor]) {
    const reply = await api.get(`${DEALS}?sort=-value&cursor=${cursor}`);
    assert.match(assertError(reply, "invalid_cursor")["cursor"]!, /com o mesmo sort/);
  }
  for (const sort of ["", "&sort=-created_at", "&q=plano"]) {
    const reply = await api.get(`${DEALS}?cursor=${meta.next_cursor}${sort}`);
    assert.match(assertError(reply, "invalid_cursor")["cursor"]!, /com o mesmo sort/);
  }
  const unknown = assertError(await api.get(`${DEALS}?sort=valor`), "validation_error");
  assert.match(unknown["sort"]!, /"value"/);
  assert.match(assertError(await api.get(`${DEALS}?sort=value&q=plano`), "validation_error")["sort"]!, /q/);
  const stage = await api.get(`${DEALS}?sort=value&stage_id=${crypto.randomUUID()}`);
  assertError(stage, "invalid_reference", ["stage_id"]);
});

test("Activities are sorted by due_at, those without one last", async ({ workspace, api }) => {
  const { id: deal_id } = await create(workspace.key, DEALS, { title: "A" });
  const due = (due_at: string | null) => create(workspace.key, "/api-v1-activities", { deal_id, due_at });
  const [none, late, early] = [
    await due(null),
    await due("2026-12-02T10:00:00Z"),
    await due("2026-12-01T10:00:00Z"),
  ];
  const sorted = async (sort: string) =>
    ids(await api.get(`/api-v1-activities?status=pendente&sort=${sort}`));
  assert.deepEqual(await sorted("due_at"), [early.id, late.id, none.id]);
  assert.deepEqual(await sorted("-due_at"), [late.id, early.id, none.id]);
});

test("A list filtered by several values sorts all matching deals, not only the newest for each value", async ({ api }) => {
  const items = Array.from({ length: 16 }, (_, index) => ({
    op: "create",
    data: { title: "D", value: 1000 - index },
  }));
  const { body } = await api.post(`${DEALS}/batch`, { items });
  const made = body.results.map(({ id }: { id: string }) => id);
  for (const id of made.slice(8)) await api.post(`${DEALS}/${id}/win`);
  const pages = await readPages(api, `${DEALS}?sort=-value&status=aberto,ganho&limit=3`);
  assert.deepEqual(pages.flatMap(ids), made);
});
