import assert from "node:assert/strict";
import { assertError } from "../support/client.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { makePipeline, UNKNOWN_ID } from "../support/record_fixtures.ts";
import { test } from "../support/scenario.ts";
import { signIn } from "../support/sessions.ts";
import { openWithoutTriggers } from "../support/stack.ts";

const FUNNEL = "/app-v1-funnel";

interface Stage {
  id: string;
  type: string;
  deals_count: number;
  deals_count_is_partial: boolean;
  value_sum: number;
  deals: { id: string; title: string }[];
}

const counts = (stages: Stage[]) => stages.map((stage) => [stage.deals_count, stage.value_sum]);

test("app-v1-funnel shows a lead from the API at the next call, with its contact, company and owner", async ({ sql, workspace, api }) => {
  const { client: vendedor } = await signIn(sql, workspace.id, "vendedor");
  const before = await vendedor.get(FUNNEL);
  assert.deepEqual(counts(before.body.stages), [[0, 0], [0, 0], [0, 0], [0, 0]]);
  const { body: { lead } } = await api.post("/api-v1-leads", {
    first_name: "Ana",
    company_name: "Padaria Sol",
    value: 1500.5,
    source: "site",
  });
  const { body } = await vendedor.get(FUNNEL);
  assert.ok(Date.parse(body.as_of) > Date.parse(before.body.as_of));
  assert.deepEqual(body.pipeline, { id: workspace.pipelineId, name: "Vendas" });
  assert.deepEqual(body.pipelines, [{ ...body.pipeline, is_default: true }]);
  assert.deepEqual(counts(body.stages), [[1, 1500.5], [0, 0], [0, 0], [0, 0]]);
  const { created_at, stage_entered_at, ...card } = body.stages[0].deals[0];
  assert.equal(created_at, stage_entered_at);
  assert.deepEqual(card, {
    id: lead.deal_id,
    title: "Ana",
    value: 1500.5,
    recurring_value: null,
    source: "site",
    owner: { id: workspace.memberId, name: "Administrador" },
    contact: { id: lead.contact_id, name: "Ana" },
    company: { id: lead.company_id, name: "Padaria Sol" },
    proposal_accepted_at: null,
  });
});

test("app-v1-funnel shows the deals won and lost in the last 30 days in the won and lost stages, wherever they were closed", async ({ sql, workspace: { id, stages, memberId }, api, newDeal }) => {
  const [won, moved, lost] = [await newDeal(), await newDeal(), await newDeal()];
  const [old, open] = [await newDeal(), await newDeal()];
  await api.post(`/api-v1-deals/${won.id}/win`, { value: 10 });
  await api.post(`/api-v1-deals/${moved.id}/win`, { value: 20 });
  await api.post(`/api-v1-deals/${moved.id}/move-stage`, { stage_id: stages[2].id });
  await api.post(`/api-v1-deals/${lost.id}/lose`);
  await api.post(`/api-v1-deals/${old.id}/win`);
  await sql`update crm.deals set closed_at = now() - interval '31 days' where id = ${old.id}`;
  await api.post(`/api-v1-deals/${open.id}/move-stage`, { stage_id: stages[2].id });

  const { client: vendedor } = await signIn(sql, id, "vendedor");
  const { body } = await vendedor.get(FUNNEL);
  const ids = (body.stages as Stage[]).map(({ deals }) => deals.map(({ id }) => id).sort());
  assert.deepEqual(ids, [[], [], [won.id, moved.id, open.id].sort(), [lost.id]]);
  assert.deepEqual(counts(body.stages), [[0, 0], [0, 0], [3, 30], [1, 0]]);
  assert.equal(body.stages[2].deals[0].owner.id, memberId);
});

test("With two won stages, the second shows the deals closed in it, and the first shows all others", async ({ sql, workspace: { id, pipelineId, stages }, api, newDeal }) => {
  const [second] = await sql<[{ id: string }]>`
    insert into crm.stages (workspace_id, pipeline_id, name, position, type)
    values (${id}, ${pipelineId}, 'Renovado', 5, 'won') returning id`;
  const [here, there] = [await newDeal(), await newDeal()];
  await api.post(`/api-v1-deals/${here.id}/move-stage`, { stage_id: second.id });
  for (const deal of [here, there]) await api.post(`/api-v1-deals/${deal.id}/win`);
  const { client: vendedor } = await signIn(sql, id, "vendedor");
  const { body } = await vendedor.get(FUNNEL);
  const shown = new Map((body.stages as Stage[]).map(({ id, deals }) => [id, deals.map(({ id }) => id)]));
  assert.deepEqual([shown.get(second.id), shown.get(stages[2].id)], [[here.id], [there.id]]);
});

test("app-v1-funnel counts up to 1,000 deals of a stage, says if there are more, and shows the newest 50", async ({ sql, workspace: { id, pipelineId, stages, memberId } }) => {
  {
    await using bulk = await openWithoutTriggers();
    await bulk`
      insert into crm.deals (workspace_id, id, title, value, pipeline_id, stage_id, owner_id, status, closed_at)
      select ${id}, crm.uuid_v7(now() - n * interval '1 second'), n::text, 1, ${pipelineId}, ${
      stages[1].id
    }, ${memberId},
        case n % 2 when 0 then 'aberto' else 'perdido' end, case n % 2 when 1 then now() - n * interval '1 second' end
      from generate_series(1, 2002) n`;
  }
  const { client: vendedor } = await signIn(sql, id, "vendedor");
  const { body } = await vendedor.get(FUNNEL);
  const [empty, open, , lost] = body.stages as [Stage, Stage, Stage, Stage];
  assert.deepEqual([empty.deals_count, empty.deals_count_is_partial], [0, false]);
  const newest = (from: number) => Array.from({ length: 50 }, (_, index) => String(from + 2 * index));
  for (const [stage, titles] of [[open, newest(2)], [lost, newest(1)]] as const) {
    assert.deepEqual([stage.deals_count, stage.deals_count_is_partial, stage.value_sum], [1000, true, 1000]);
    assert.deepEqual(stage.deals.map(({ title }) => title), titles);
  }
});

test("app-v1-funnel shows an inactive stage as long as it has open deals", async ({ sql, workspace, api, newDeal }) => {
  const { client: vendedor } = await signIn(sql, workspace.id, "vendedor");
  const deal = await newDeal();
  await sql`update crm.stages set is_active = false where id = ${workspace.stages[0].id}`;
  const first = async () => (await vendedor.get(FUNNEL)).body.stages[0] as Stage;
  const shown = await first();
  assert.deepEqual([shown.id, shown.deals.map(({ id }) => id)], [workspace.stages[0].id, [deal.id]]);
  await api.post(`/api-v1-deals/${deal.id}/move-stage`, { stage_id: workspace.stages[1].id });
  assert.equal((await first()).id, workspace.stages[1].id);
});

test("app-v1-funnel shows another active pipeline by its id, but no inactive pipeline and none of another workspace", async ({ sql, workspace }) => {
  const { id } = workspace;
  const pipeline = await makePipeline(sql, workspace);
  const { client: vendedor } = await signIn(sql, id, "vendedor");
  const { body } = await vendedor.get(`${FUNNEL}?pipeline_id=${pipeline.id}`);
  assert.deepEqual([body.pipeline.id, (body.stages as Stage[]).map(({ id }) => id)], [
    pipeline.id,
    pipeline.stages,
  ]);
  assert.deepEqual(
    body.pipelines.map((choice: { id: string; is_default: boolean }) => [choice.id, choice.is_default]),
    [[workspace.pipelineId, true], [pipeline.id, false]],
  );

  await sql`update crm.pipelines set is_active = false where id = ${pipeline.id}`;
  const other = await makeWorkspace(sql);
  for (const unknown of [pipeline.id, other.pipelineId, UNKNOWN_ID]) {
    assertError(await vendedor.get(`${FUNNEL}?pipeline_id=${unknown}`), "not_found");
  }
  await sql`update crm.pipelines set is_active = false where workspace_id = ${id}`;
  const { body: none } = await vendedor.get(FUNNEL);
  assert.deepEqual([none.pipelines, none.pipeline, none.stages], [[], null, []]);
});
