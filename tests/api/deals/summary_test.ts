import assert from "node:assert/strict";
import { assertError } from "../../support/client.ts";
import { create, makeContact, makeMember, makePipeline } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";
import { openWithoutTriggers } from "../../support/stack.ts";

const DEALS = "/api-v1-deals";
const SUMMARY = `${DEALS}/summary`;

interface Deal {
  id: string;
  pipeline_id: string;
  stage_id: string;
  status: string;
  value: number | null;
  recurring_value: number | null;
}

/** Computes the summary that the API should answer for these deals. */
function summaryOf(deals: Deal[]) {
  const cents = (amounts: (number | null)[]) =>
    amounts.reduce<number>((sum, amount) => sum + Math.round((amount ?? 0) * 100), 0) / 100;
  const add = (deals: Deal[]) => ({
    count: deals.length,
    value: cents(deals.map(({ value }) => value)),
    recurring_value: cents(deals.map(({ recurring_value }) => recurring_value)),
  });
  const groups = Map.groupBy(
    deals,
    ({ pipeline_id, stage_id, status }) => JSON.stringify({ pipeline_id, stage_id, status }),
  );
  const data = [...groups].map(([group, deals]) => ({ ...JSON.parse(group), ...add(deals) }));
  return { data, totals: add(deals) };
}

test("GET /api-v1-deals/summary counts and totals the deals that the list has for the same filters", async ({ sql, workspace, api }) => {
  const other = await makePipeline(sql, workspace);
  const owner_id = await makeMember(sql, workspace);
  const contact_id = await makeContact(sql, workspace);
  const made: (Deal & { created_at: string; updated_at: string })[] = [];
  for (let n = 0; n < 12; n++) {
    const place = n % 3 === 0
      ? { pipeline_id: other.id, stage_id: other.stages[n % 2]! }
      : { pipeline_id: workspace.pipelineId, stage_id: workspace.stages[n % 2]!.id };
    const { id } = await create(workspace.key, DEALS, {
      title: `D${n}`,
      ...place,
      value: n % 4 === 3 ? null : n / 10,
      recurring_value: n % 2 === 0 ? 99.99 : null,
      ...(n % 2 === 0 && { owner_id }),
      ...(n % 5 === 0 && { contact_id, external_id: `x${n}` }),
    });
    if (n % 4 === 1) await api.post(`${DEALS}/${id}/win`);
    if (n % 4 === 2) await api.post(`${DEALS}/${id}/lose`);
    made.push((await api.get(`${DEALS}/${id}`)).body);
  }
  await sql`update crm.deals set closed_at = '2026-10-15' where id = ${made[1]!.id}`;
  await sql`update crm.deals set archived_at = now() where id in ${sql([made[4]!.id, made[5]!.id])}`;
  await sql`update crm.deals set expected_close_date = '2026-12-31' where id = ${made[0]!.id}`;
  const queries = [
    "",
    `pipeline_id=${other.id}`,
    `stage_id=${workspace.stages[0].id}`,
    `owner_id=${owner_id}`,
    `contact_id=${contact_id}`,
    "external_id=x5",
    "external_id=x10",
    "status=ganho",
    "status=ganho,perdido",
    "archived=true",
    "archived=any",
    "closed_since=2026-10-01",
    "closed_since=2026-10-01&closed_until=2026-11-01",
    "expected_close_since=2026-12-01&expected_close_until=2027-01-01",
    "closed_until=2026-11-01",
    `since=${made[4]!.created_at}`,
    `until=${made[4]!.created_at}`,
    `since=${made[2]!.created_at}&until=${made[9]!.created_at}&status=aberto,perdido`,
    `updated_since=${made[8]!.updated_at}`,
    `updated_since=${made[3]!.updated_at}&owner_id=${owner_id}&until=${made[9]!.created_at}`,
    `company_id=${contact_id}`,
    "until=2000-01-01",
  ];
  const sizes = new Set<number>();
  for (const query of queries) {
    const reply = await api.get(`${SUMMARY}?${query}`);
    assert.equal(reply.status, 200, reply.text);
    const list = await api.get(`${DEALS}?limit=200&${query}`);
    const expected = summaryOf(list.body.data);
    assert.deepEqual(reply.body.totals, expected.totals, query);
    assert.deepEqual(new Set(reply.body.data), new Set(expected.data), query);
    sizes.add(reply.body.totals.count);
  }
  assert.ok(sizes.size > 5, "the filters differ");
});

test("GET /api-v1-deals/summary has no pages, includes no deal of another workspace, and adds amounts exactly", async ({ api }) => {
  for (const name of ["limit=1", "cursor=00000000-0000-7000-8000-000000000000", "estado=aberto"]) {
    assertError(await api.get(`${SUMMARY}?${name}`), "validation_error", [name.split("=")[0]!]);
  }
  assert.deepEqual((await api.get(SUMMARY)).body, {
    data: [],
    totals: { count: 0, value: 0, recurring_value: 0 },
  });
  for (const value of [0.1, 0.2, 999_999_999_999.99]) await api.post(DEALS, { title: "A", value });
  assert.match((await api.get(SUMMARY)).text, /"value" ?: ?1000000000000\.29[,}]/);
});

test("GET /api-v1-deals/summary reads at most 50,000 deals, and answers too_many_records if the filters match more (spec 7)", async ({ workspace, api }) => {
  await using admin = await openWithoutTriggers();
  await admin`
    insert into crm.deals (workspace_id, id, title, status, value, pipeline_id, stage_id, owner_id, created_at, closed_at)
    select ${workspace.id}::uuid, crm.uuid_v7(made), 'A', case when n % 100 = 0 then 'ganho' else 'aberto' end, 1,
      ${workspace.pipelineId}::uuid, ${workspace.stages[0].id}::uuid, ${workspace.memberId}::uuid, made,
      case when n % 100 = 0 then made end
    from generate_series(1, 50001) n
    cross join lateral (select timestamptz '2025-01-01' + n * interval '1 second' as made) m`;
  await admin`analyze crm.deals`;
  for (const query of ["", `owner_id=${workspace.memberId}&updated_since=2000-01-01`]) {
    assertError(await api.get(`${SUMMARY}?${query}`), "too_many_records");
  }
  const count = async (query: string) => (await api.get(`${SUMMARY}?${query}`)).body.totals?.count;
  assert.equal(await count("since=2025-01-01T00:00:02Z"), 50_000);
  assert.equal(await count("until=2025-01-01T00:10:00Z"), 599);
  assert.equal(await count("status=ganho"), 500);
  assert.equal(await count("closed_since=2025-01-01"), 500);
  assert.equal(await count(`closed_since=2025-01-01&owner_id=${workspace.memberId}`), 500);
  // Deletes the 50,001 deals, because tests of erasures search every row of the database.
  await admin`delete from crm.deals where workspace_id = ${workspace.id}`;
});

test("group_by totals the filtered deals by owner, stage, month or source, with names, the group with the highest value first", async ({ sql, workspace, api }) => {
  const other = await makeMember(sql, workspace);
  const deal = (body: Record<string, unknown>) => create(workspace.key, DEALS, { title: "Plano", ...body });
  await deal({ value: 100.1, source: "Feira", expected_close_date: "2027-01-31" });
  await deal({ value: 50.2, source: "Feira", owner_id: other, expected_close_date: "2027-01-01" });
  await deal({ value: 500, owner_id: other, title: "Contrato", stage_id: workspace.stages[1].id });
  const won = await deal({ value: 10 });
  await api.post(`${DEALS}/${won.id}/win`);
  const [first, second] = workspace.stages;
  const groupsOf = async (query: string) => {
    const { body } = await api.get(`${SUMMARY}?${query}`);
    return body.groups.map((group: Record<string, unknown>) =>
      ["key", "name", "count", "value"].map((name) => group[name])
    );
  };
  assert.deepEqual(await groupsOf("group_by=owner"), [
    [other, "Vendedor", 2, 550.2],
    [workspace.memberId, "Administrador", 2, 110.1],
  ]);
  assert.deepEqual(await groupsOf("group_by=stage"), [
    [second.id, second.name, 1, 500],
    [first.id, first.name, 3, 160.3],
  ]);
  const month = new Date().toISOString().slice(0, 7);
  assert.deepEqual(await groupsOf("group_by=month"), [
    [null, null, 1, 500],
    ["2027-01", "2027-01", 2, 150.3],
    [month, month, 1, 10],
  ]);
  assert.deepEqual(await groupsOf(`group_by=source&status=aberto&owner_id=${other}`), [
    [null, null, 1, 500],
    ["Feira", "Feira", 1, 50.2],
  ]);
  const { body } = await api.get(`${SUMMARY}?group_by=owner&q=contrato`);
  assert.deepEqual([body.totals.count, body.groups.length], [1, 1], "only the deals that contain the word");
  assert.deepEqual((await api.get(`${SUMMARY}?q=plano`)).body.totals.count, 3);
  assert.equal("groups" in (await api.get(SUMMARY)).body, false);
  assert.deepEqual((await api.get(`${SUMMARY}?group_by=owner&status=perdido`)).body.groups, []);
  const wrong = assertError(await api.get(`${SUMMARY}?group_by=dono`), "validation_error");
  assert.match(wrong["group_by"]!, /"owner"/);
});
