// POST /api-v1-deals/reassign: gives a member's deals to another member.
import assert from "node:assert/strict";
import { assertError } from "../../support/client.ts";
import { readAll } from "../../support/feed.ts";
import { create, ids, makeMember, UNKNOWN_ID } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";

const DEALS = "/api-v1-deals";
const REASSIGN = `${DEALS}/reassign`;

test("The open deals of a member who leaves go to another member, each with an event and an entry in the change log", async ({ sql, workspace, api }) => {
  const [leaver, heir] = [await makeMember(sql, workspace), await makeMember(sql, workspace)];
  const mine = await create(workspace.key, DEALS, { title: "Meu" });
  const made = [];
  for (const title of ["A", "B", "C", "D"]) {
    made.push((await create(workspace.key, DEALS, { title, owner_id: leaver })).id);
  }
  const [a, b, won, archived] = made;
  await api.post(`${DEALS}/${won}/win`);
  await api.post(`${DEALS}/${archived}/archive`);
  await sql`update crm.members set is_active = false where id = ${leaver}`;
  const body = { from_owner_id: leaver, to_owner_id: heir, status: "aberto" };
  const nothing = { next_cursor: null, has_more: false };

  const tried = await api.post(REASSIGN, { ...body, dry_run: true });
  assert.deepEqual([tried.status, tried.body], [200, { count: 2, dry_run: true, meta: nothing }]);
  assert.deepEqual(ids(await api.get(`${DEALS}?owner_id=${heir}`)), []);

  const misplaced = await api.post(`${REASSIGN}?dry_run=true`, body);
  assertError(misplaced, "validation_error", ["dry_run"]);

  const { events: before } = await readAll(api);
  assert.deepEqual((await api.post(REASSIGN, body)).body, { count: 2, dry_run: false, meta: nothing });
  assert.deepEqual(ids(await api.get(`${DEALS}?owner_id=${heir}`)), [b, a]);
  assert.deepEqual(ids(await api.get(`${DEALS}?owner_id=${leaver}&archived=any`)), [archived, won]);
  assert.deepEqual(ids(await api.get(`${DEALS}?owner_id=${workspace.memberId}`)), [mine.id]);
  const { events } = await readAll(api);
  const emitted = events.slice(before.length).map(({ event, object_id }) => `${event} ${object_id}`);
  assert.deepEqual(emitted.sort(), [`deal.updated ${a}`, `deal.updated ${b}`].sort());
  const { body: { data: [change] } } = await api.get(`/api-v1-changes?object_id=${a}`);
  assert.deepEqual(change.changed_fields, ["owner_id"]);

  assert.deepEqual((await api.post(REASSIGN, body)).body.count, 0, "a repeated call finds none");
  const { body: rest } = await api.post(REASSIGN, { from_owner_id: leaver, to_owner_id: heir });
  assert.equal(rest.count, 1, "without a status closed deals are reassigned too");
});

test("A call reassigns at most 1,000 deals, and the next call continues from its cursor", async ({ sql, workspace, api }) => {
  const [leaver, heir] = [await makeMember(sql, workspace), await makeMember(sql, workspace)];
  const { id, pipelineId, stages: [stage] } = workspace;
  await sql`
    insert into crm.deals (workspace_id, title, pipeline_id, stage_id, owner_id)
    select ${id}, 'N', ${pipelineId}, ${stage.id}, ${leaver} from generate_series(1, 1003)`;
  const body = { from_owner_id: leaver, to_owner_id: heir };
  const first = await api.post(REASSIGN, body);
  assert.deepEqual([first.body.count, first.body.meta.has_more], [1000, true]);
  const { body: last } = await api.post(REASSIGN, { ...body, cursor: first.body.meta.next_cursor });
  assert.deepEqual(last, { count: 3, dry_run: false, meta: { next_cursor: null, has_more: false } });
  assert.equal((await sql`select from crm.deals where owner_id = ${heir}`).length, 1003);
});

test("A reassignment needs two members of the workspace, an active new owner, and a valid cursor (spec 7)", async ({ sql, workspace, api }) => {
  const gone = await makeMember(sql, workspace);
  await sql`update crm.members set is_active = false where id = ${gone}`;
  const { memberId } = workspace;
  const send = (from_owner_id: string, to_owner_id: string) =>
    api.post(REASSIGN, { from_owner_id, to_owner_id });
  assertError(await send(UNKNOWN_ID, memberId), "invalid_reference", ["from_owner_id"]);
  const reply = await send(memberId, gone);
  assertError(reply, "invalid_reference", ["to_owner_id"]);
  assert.match(reply.body.error.details[0].message, /^Está inativo/);
  assert.deepEqual(reply.body.error.details[0].choices.map(({ id }: { id: string }) => id), [memberId]);
  await create(workspace.key, DEALS, { title: "Meu" });
  for (const dry_run of [true, false]) {
    const same = await api.post(REASSIGN, { from_owner_id: memberId, to_owner_id: memberId, dry_run });
    assert.equal(same.body.count, 0, "nothing changes hands");
  }
  assertError(await api.post(REASSIGN, {}), "validation_error", ["from_owner_id", "to_owner_id"]);
  const owners = { from_owner_id: memberId, to_owner_id: memberId };
  assertError(await api.post(REASSIGN, { ...owners, cursor: "x" }), "invalid_cursor", ["cursor"]);
});
