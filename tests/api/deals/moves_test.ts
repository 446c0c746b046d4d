// Moving a deal between stages and pipelines, by its action and by PATCH.
import assert from "node:assert/strict";
import { assertError } from "../../support/client.ts";
import { eventsSince, makeOpenDeal } from "../../support/deals.ts";
import { makeWorkspace } from "../../support/fixtures.ts";
import { assertAlike, eventsOf, makePipeline, UNKNOWN_ID } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";

for (const way of ["POST move-stage", "PATCH"] as const) {
  const mover = ({ act, patch }: Awaited<ReturnType<typeof makeOpenDeal>>) => (body: object) =>
    way === "PATCH" ? patch(body) : act("move-stage", body);

  test(`${way} moves a deal to another stage, open or closed, and emits the previous stage (spec 3, 4.6)`, async ({ sql }) => {
    const made = await makeOpenDeal(sql);
    const { workspace, deal, act } = made;
    const move = mover(made);
    const [first, second, third] = workspace.stages;
    const moved = (await move({ stage_id: second!.id })).body;
    assert.deepEqual([moved.stage_id, moved.status, moved.title], [second!.id, "aberto", "Venda"]);
    assert.equal(moved.stage_changed_at, moved.updated_at);
    assert.notEqual(moved.stage_changed_at, deal.stage_changed_at);
    const same = (await move({ stage_id: second!.id })).body;
    assert.equal(same.stage_changed_at, moved.stage_changed_at, "the same stage is no change");
    if (way === "POST move-stage") assert.deepEqual([moved.idempotent, same.idempotent], [false, true]);
    await act("win");
    const closed = (await move({ stage_id: third!.id, pipeline_id: workspace.pipelineId })).body;
    assert.deepEqual([closed.stage_id, closed.status], [third!.id, "ganho"]);
    assert.deepEqual(await eventsSince(sql, workspace), [
      "deal.stage_changed",
      "deal.won",
      "deal.stage_changed",
    ]);
    const [facts] = await sql`
      select facts from crm.events where object_id = ${deal.id} and event = 'deal.stage_changed' order by id limit 1`;
    assert.deepEqual(facts!["facts"], {
      previous_stage_id: first!.id,
      previous_pipeline_id: workspace.pipelineId,
    });
  });

  test(`${way} moves a deal to a stage of another pipeline only where the pipeline is given (spec 4.6)`, async ({ sql }) => {
    const made = await makeOpenDeal(sql);
    const { workspace, read } = made;
    const move = mover(made);
    const { id: pipeline_id, stages: [stage_id, last] } = await makePipeline(sql, workspace);
    assertError(await move({ stage_id }), "stage_not_found");
    for (const { id } of workspace.stages) {
      assertError(await move({ stage_id: id, pipeline_id }), "stage_not_found");
    }
    assert.equal((await read()).stage_id, workspace.stages[0]!.id);
    const { body } = await move({ stage_id: last, pipeline_id });
    assert.deepEqual([body.pipeline_id, body.stage_id], [pipeline_id, last]);
    assert.deepEqual(await eventsSince(sql, workspace), ["deal.stage_changed"]);
  });

  test(`${way} refuses a stage or pipeline that is inactive or not of the workspace (spec 4.6, 7)`, async ({ sql }) => {
    const made = await makeOpenDeal(sql);
    const { workspace, deal, read } = made;
    const move = mover(made);
    const other = await makeWorkspace(sql);
    const [first, second, third] = workspace.stages;
    const unknown = await move({ stage_id: UNKNOWN_ID });
    assertError(unknown, "invalid_reference", ["stage_id"]);
    assertAlike(await move({ stage_id: other.stages[0]!.id }), unknown);
    const nowhere = await move({ stage_id: second!.id, pipeline_id: UNKNOWN_ID });
    assertError(nowhere, "pipeline_not_found", ["pipeline_id"]);
    assertAlike(await move({ stage_id: second!.id, pipeline_id: other.pipelineId }), nowhere);

    await sql`update crm.stages set is_active = false where id in (${first!.id}, ${second!.id})`;
    assertError(await move({ stage_id: second!.id }), "stage_not_found");
    const pipeline = await makePipeline(sql, workspace);
    await sql`update crm.pipelines set is_active = false where workspace_id = ${workspace.id}`;
    assertError(
      await move({ stage_id: pipeline.stages[0], pipeline_id: pipeline.id }),
      "pipeline_not_found",
    );
    assert.deepEqual(await read(), deal);
    assert.equal((await move({ stage_id: first!.id })).status, 200, "what stays is not checked again");
    assert.equal((await move({ stage_id: third!.id })).status, 200, "nor is the pipeline it stays in");
  });
}

test("POST move-stage needs a stage_id", async ({ sql }) => {
  const { workspace, act } = await makeOpenDeal(sql);
  for (const stage_id of [undefined, null, "x", 5]) {
    assertError(await act("move-stage", { stage_id }), "validation_error", ["stage_id"]);
  }
  assertError(await act("move-stage"), "bad_request");
  assert.deepEqual(await eventsOf(sql, workspace.id), ["deal.created"]);
});

test("PATCH with another pipeline and no stage moves a deal to its first active stage", async ({ sql }) => {
  const { workspace, patch } = await makeOpenDeal(sql);
  const { id: pipeline_id, stages } = await makePipeline(sql, workspace);
  const { body } = await patch({ pipeline_id });
  assert.deepEqual([body.pipeline_id, body.stage_id], [pipeline_id, stages[0]]);
  assert.equal((await patch({ pipeline_id })).body.stage_changed_at, body.stage_changed_at);
  await sql`update crm.stages set is_active = false where pipeline_id = ${workspace.pipelineId}`;
  assertError(await patch({ pipeline_id: workspace.pipelineId }), "pipeline_has_no_stage");
});
