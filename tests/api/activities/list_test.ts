import assert from "node:assert/strict";
import { assertError } from "../../support/client.ts";
import { makeDeal } from "../../support/fixtures.ts";
import { create, ids, makeMember, UNKNOWN_ID } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";

const ACTIVITIES = "/api-v1-activities";

test("activities are overdue while they are pendente and their due_at has passed", async ({ workspace, api, newDeal }) => {
  const deal = await newDeal();
  const make = (body: object) => create(workspace.key, ACTIVITIES, { deal_id: deal.id, ...body });
  const past = "2020-01-01T00:00:00Z";
  const late = await make({ due_at: past });
  const others = [
    await make({ due_at: past, status: "concluida" }),
    await make({ due_at: past, status: "cancelada" }),
    await make({ due_at: "2999-01-01T00:00:00Z" }),
    await make({}),
  ];
  assert.equal(late["is_overdue"], true);
  assert.ok(others.every((activity) => activity["is_overdue"] === false));
  assert.deepEqual(ids(await api.get(`${ACTIVITIES}?is_overdue=true`)), [late.id]);
  assert.deepEqual(
    ids(await api.get(`${ACTIVITIES}?is_overdue=false`)),
    others.map(({ id }) => id).reverse(),
  );
  const done = (await api.patch(`${ACTIVITIES}/${late.id}`, { status: "concluida" })).body;
  assert.equal(done.is_overdue, false);
});

test("GET /api-v1-activities filters by each field alone and by several together (spec 4.6)", async ({ sql, workspace, api, newDeal }) => {
  const deal = await newDeal();
  const another = await makeDeal(workspace.key);
  const seller = await makeMember(sql, workspace);
  const make = async (body: object) =>
    (await create(workspace.key, ACTIVITIES, { deal_id: deal.id, ...body })).id;
  const a = await make({ type: "ligacao", due_at: "2030-01-01T00:00:00Z" });
  const b = await make({ status: "cancelada", due_at: "2030-02-01T00:00:00Z" });
  const c = await make({ deal_id: another.id, owner_id: seller });
  const d = await make({ contact_id: another.contactId, due_at: "2030-02-01T00:00:00+03:00" });
  const expectations: [query: string, expected: string[]][] = [
    ["", [d, c, b, a]],
    [`deal_id=${deal.id}`, [d, b, a]],
    [`deal_id=${deal.id.toUpperCase()}`, [d, b, a]],
    [`contact_id=${another.contactId}`, [d, c]],
    [`owner_id=${seller}`, [c]],
    ["type=ligacao", [a]],
    ["type=Ligacao", []],
    ["status=cancelada", [b]],
    ["due_before=2030-02-01T00:00:00Z", [d, a]],
    ["due_after=2030-02-01T00:00:00Z", [b]],
    ["due_after=2030-01-31T18:00:00-03:00", [d, b]],
    ["due_after=2030-01-01T00:00:00Z&due_before=2030-01-01T00:00:00.001Z", [a]],
    [`deal_id=${deal.id}&status=pendente&type=tarefa`, [d]],
    [`deal_id=${deal.id}&owner_id=${seller}`, []],
    [`deal_id=${UNKNOWN_ID}`, []],
  ];
  for (const [query, expected] of expectations) {
    assert.deepEqual(ids(await api.get(`${ACTIVITIES}?${query.replaceAll("+", "%2B")}`)), expected, query);
  }
});

test("GET /api-v1-activities names each filter whose value is invalid", async ({ api }) => {
  const bad = {
    deal_id: ["x", ""],
    contact_id: ["1"],
    owner_id: ["me"],
    type: ["", "x".repeat(61)],
    status: ["aberto", ""],
    is_overdue: ["1", "sim", ""],
    due_before: ["ontem", "2030-02-30T00:00:00Z", "01/31/2030", "+10000-01-01T00:00:00Z"],
    due_after: ["0000-01-01T00:00:00Z", "9999-12-31T23:59:59-01:00"],
  };
  for (const [field, values] of Object.entries(bad)) {
    for (const value of values) {
      const reply = await api.get(`${ACTIVITIES}?${field}=${encodeURIComponent(value)}`);
      assertError(reply, "validation_error", [field], value);
    }
  }
  // A valid offset that is larger than Postgres accepts.
  assert.equal((await api.get(`${ACTIVITIES}?due_after=2030-01-01T00:00:00%2B20:00`)).status, 200);
});
