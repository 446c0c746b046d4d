// GET /api-v1-changes/summary: what happened in a period, in a few lines.
import assert from "node:assert/strict";
import { assertError, client, type Reply } from "../../support/client.ts";
import { makeKey } from "../../support/fixtures.ts";
import { create } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";
import { openWithoutTriggers } from "../../support/stack.ts";

const SUMMARY = "/api-v1-changes/summary";
const DEALS = "/api-v1-deals";

type Item = Reply["body"];

test("The summary counts the events of the last day, and names new, closed and moved deals, and the two stages of each move", async ({ workspace, api }) => {
  const [first, second, third] = workspace.stages;
  const deal = await create(workspace.key, DEALS, { title: "Plano", value: 100, stage_id: first.id });
  for (const stage of [second, third]) {
    await api.post(`${DEALS}/${deal.id}/move-stage`, { stage_id: stage.id });
  }
  await api.post(`${DEALS}/${deal.id}/win`);
  await create(workspace.key, "/api-v1-contacts", { name: "Ana" });
  const { body } = await api.get(SUMMARY);
  const counts = Object.fromEntries(body.counts.map(({ action, count }: Item) => [action, count]));
  assert.deepEqual(
    [counts["deal.stage_changed"], counts["deal.won"], counts["deal.created"], counts["contact.created"]],
    [2, 1, 1, 1],
  );
  const about = { deal_id: deal.id, title: "Plano", value: 100, actor: "Teste" };
  const shown = body.highlights.map(({ occurred_at: _, ...highlight }: Item) => highlight);
  assert.deepEqual(shown, [
    { action: "deal.won", ...about, from_stage: null, to_stage: null },
    { action: "deal.stage_changed", ...about, from_stage: second.name, to_stage: third.name },
    { action: "deal.stage_changed", ...about, from_stage: first.name, to_stage: second.name },
    { action: "deal.created", ...about, from_stage: null, to_stage: null },
  ]);
  assert.equal(body.highlights_left_out, 0);
  const hours = (Date.now() - Date.parse(body.since)) / 3_600_000;
  assert.ok(body.until === null && hours >= 24 && hours < 25.1, `${hours}`);
});

test("The summary can be limited to a period, and to the changes that one key made or did not make", async ({ sql, workspace, api }) => {
  const { id: erp, key } = await makeKey(sql, workspace.id);
  const mine = await create(workspace.key, DEALS, { title: "Meu" });
  const theirs = await create(key, DEALS, { title: "Do ERP" });
  const titles = async (query: string) =>
    (await api.get(`${SUMMARY}?${query}`)).body.highlights.map(({ deal_id }: Item) => deal_id);
  assert.deepEqual(await titles(""), [theirs.id, mine.id]);
  assert.deepEqual(await titles(`actor=${erp}`), [theirs.id]);
  assert.deepEqual(await titles(`not_actor=${erp}`), [mine.id]);
  assert.deepEqual(await titles("actor=me"), [mine.id]);
  assert.deepEqual(await titles("not_actor=me"), [theirs.id]);
  const { body } = await api.get(`${SUMMARY}?until=2020-01-01`);
  assert.deepEqual([body.counts, body.highlights], [[], []]);
  assertError(await api.get(`${SUMMARY}?actor=ERP&desde=ontem`), "validation_error", ["actor", "desde"]);
});

test("A move in the summary names the stage to which it led, even if the summary leaves out the next move", async ({ sql, workspace, api }) => {
  const [first, second, third] = workspace.stages;
  const deal = await create(workspace.key, DEALS, { title: "Plano", stage_id: first.id });
  const { key } = await makeKey(sql, workspace.id);
  await client(key).post(`${DEALS}/${deal.id}/move-stage`, { stage_id: second.id });
  await api.post(`${DEALS}/${deal.id}/move-stage`, { stage_id: third.id });
  const { body: { highlights } } = await api.get(`${SUMMARY}?not_actor=me`);
  assert.deepEqual(highlights.map(({ from_stage, to_stage }: Item) => [from_stage, to_stage]), [
    [first.name, second.name],
  ]);
});

test("The summary names 25 deals, counts the rest, and answers too_many_records for more than 20,000 events", async ({ workspace, api }) => {
  const items = Array(27).fill({ op: "create", data: { title: "N" } });
  assert.equal((await api.post(`${DEALS}/batch`, { items })).body.summary.created, 27);
  const { body } = await api.get(SUMMARY);
  assert.deepEqual([body.highlights.length, body.highlights_left_out], [25, 2]);
  await using admin = await openWithoutTriggers();
  await admin`
    insert into crm.events (workspace_id, event, object_id, facts)
    select ${workspace.id}, 'deal.updated', gen_random_uuid(), '{"changed_fields": ["value"]}' from generate_series(1, 20000)`;
  assertError(await api.get(SUMMARY), "too_many_records");
});
