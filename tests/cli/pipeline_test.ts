import assert from "node:assert/strict";
import { operate } from "../../run/operator/operator.ts";
import { assertError } from "../support/client.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { openDatabase } from "../support/stack.ts";
import { json, say, UUID } from "./crm.ts";
import { test } from "../support/scenario.ts";

test("pipeline create makes the stages in the given order", async ({ workspace: { id: workspace, pipelineId }, api }) => {
  const made = await json(
    ...["pipeline", "create", "--workspace", workspace, "--name", "Parcerias"],
    ...["--stages", "Prospecção:pre-venda, Fase 2: proposta :venda,Ganho:won"],
  );
  assert.deepEqual(Object.keys(made), ["id", "stages"]);
  for (const { id } of [made, ...made.stages]) assert.match(id, UUID);
  assert.deepEqual(made.stages.map(({ id: _, ...stage }: { id: string }) => stage), [
    { name: "Prospecção", type: "pre-venda", position: 1 },
    { name: "Fase 2: proposta", type: "venda", position: 2 },
    { name: "Ganho", type: "won", position: 3 },
  ]);

  const { body } = await api.get("/api-v1-pipelines");
  const shown = body.data.find(({ id }: { id: string }) => id === made.id);
  const idsOf = (stages: { id: string }[]) => stages.map(({ id }) => id);
  assert.deepEqual(idsOf(shown.stages), idsOf(made.stages));
  assert.equal(shown.is_default, false);
  assert.equal(body.data.find(({ id }: { id: string }) => id === pipelineId).is_default, true);
});

test("pipeline create --default and pipeline update --default move the default", async ({ sql, workspace: { id: workspace, pipelineId }, api }) => {
  const defaults = async () => {
    const rows = await sql`select id from crm.pipelines where workspace_id = ${workspace} and is_default`;
    return rows.map(({ id }) => id);
  };
  const second = await json(
    ...["pipeline", "create", "--workspace", workspace, "--name", "B", "--stages", "A:venda", "--default"],
  );
  assert.deepEqual(await defaults(), [second.id]);
  const { body } = await api.post("/api-v1-leads", { first_name: "Ana" });
  assert.equal(body.lead.pipeline_id, second.id);

  const updated = await json("pipeline", "update", pipelineId, "--active", "true", "--default");
  const active = { is_default: true, is_active: true };
  assert.deepEqual(updated, { id: pipelineId, workspace_id: workspace, name: "Vendas", ...active });
  assert.deepEqual(await defaults(), [pipelineId]);
  await say("pipeline", "update", pipelineId, "--default");
  assert.deepEqual(await defaults(), [pipelineId]);
});

Deno.test("If twenty pipelines are made the default at once, exactly one is the default", async () => {
  await using sql = openDatabase(20);
  const { id: workspace_id } = await makeWorkspace(sql);
  const make = { workspace_id, name: "Novo", stages: [] };
  const made = await Promise.all(Array.from({ length: 10 }, () => operate(sql, "pipeline_create", make)));
  await Promise.all([
    ...made.map(({ id }) => operate(sql, "pipeline_update", { workspace_id, id, is_default: true })),
    ...made.map(() => operate(sql, "pipeline_create", { ...make, is_default: true })),
  ]);
  const defaults = await sql`select from crm.pipelines where workspace_id = ${workspace_id} and is_default`;
  assert.equal(defaults.length, 1);
});

test("An inactive stage or pipeline is listed, and gets no leads until it is active again", async ({ workspace: { id: workspace, pipelineId, stages: [first, second, ...rest] }, api }) => {
  const lead = (fields = {}) => api.post("/api-v1-leads", { first_name: "Ana", ...fields });

  assert.equal((await json("stage", "update", first.id, "--active", "false")).is_active, false);
  assert.equal((await lead()).body.lead.stage_id, second.id);
  assertError(await lead({ stage_id: first.id }), "stage_not_found");
  for (const stage of [second, ...rest]) await say("stage", "update", stage.id, "--active", "false");
  assertError(await lead(), "pipeline_has_no_stage");
  const activated = await say("stage", "update", first.id, "--active", "true");
  assert.equal(activated, `Stage ${first.id} (Prospecção) is active\n`);

  assert.match(await say("pipeline", "update", pipelineId, "--active", "false"), /Vendas +yes +no$/m);
  const list = ["pipeline", "list", "--workspace", workspace];
  const [listed] = await json(...list);
  assert.deepEqual([listed.id, listed.is_active, listed.stages[1].is_active], [pipelineId, false, false]);
  assert.match(await say(...list), new RegExp(`${rest[1]!.id} +Perdido +lost`));
  assertError(await lead(), "no_default_pipeline");
  assertError(await lead({ pipeline_id: pipelineId }), "pipeline_not_found");
  await say("pipeline", "update", pipelineId, "--active", "true");
  assert.equal((await lead()).body.lead.stage_id, first.id);
});
