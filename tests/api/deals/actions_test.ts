// Closing, reopening and moving a deal between stages and pipelines, by its actions and by PATCH.
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { assertError, client, type Reply } from "../../support/client.ts";
import { makeKey, makeWorkspace, type TestWorkspace } from "../../support/fixtures.ts";
import {
  assertAlike,
  atOnce,
  eventsOf,
  makeLossReason,
  makePipeline,
  UNKNOWN_ID,
} from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";

const DEALS = "/api-v1-deals";

type Api = ReturnType<typeof client>;

/** Creates a workspace with one open deal, and functions that call its endpoints. */
async function makeOpenDeal(sql: Sql, fields: object = {}) {
  const workspace = await makeWorkspace(sql);
  const api = client(workspace.key);
  const deal = (await api.post(DEALS, { title: "Venda", value: 10, ...fields })).body;
  return {
    workspace,
    deal,
    act: (action: string, body?: unknown) => api.post(`${DEALS}/${deal.id}/${action}`, body),
    patch: (body: object) => api.patch(`${DEALS}/${deal.id}`, body),
    read: async () => {
      const { contact: _, company: __, last_activity: ___, lead: ____, ...fields } =
        (await api.get(`${DEALS}/${deal.id}`)).body;
      return fields;
    },
  };
}

/** Reads the events after the deal's creation, without deal.updated, which changes/events_of_changes_test.ts checks. */
const eventsSince = (sql: Sql, { id }: TestWorkspace) => eventsOf(sql, id, "deal.created", "deal.updated");

const isIdempotent = ({ status, body }: Reply) => {
  assert.equal(status, 200);
  return body.idempotent;
};

test("POST win marks an open deal won, with its final amounts, once (spec 3, 4.6)", async ({ sql }) => {
  const { workspace, deal, act, read } = await makeOpenDeal(sql);
  const won = await act("win", { value: 99.9, recurring_value: 5 });
  const { idempotent, ...body } = won.body;
  assert.equal(idempotent, false);
  assert.deepEqual(body, {
    ...deal,
    status: "ganho",
    value: 99.9,
    recurring_value: 5,
    won_at: body.updated_at,
    closed_at: body.updated_at,
    updated_at: body.updated_at,
  });
  assert.deepEqual(await read(), body);
  const again = await act("win", { value: 1 });
  assert.deepEqual(again.body, { ...body, idempotent: true }, "a closed deal is left as it is");
  assert.deepEqual(await eventsSince(sql, workspace), ["deal.won"]);
});

test("POST lose marks an open deal lost, with a reason and a note, once (spec 3, 4.6)", async ({ sql }) => {
  const { workspace, deal, act, read } = await makeOpenDeal(sql);
  const loss_reason_id = await makeLossReason(sql, workspace);
  const lost = await act("lose", { loss_reason_id, loss_note: "caro" });
  const { idempotent, ...body } = lost.body;
  assert.equal(idempotent, false);
  assert.deepEqual(body, {
    ...deal,
    status: "perdido",
    loss_reason_id,
    loss_note: "caro",
    lost_at: body.updated_at,
    closed_at: body.updated_at,
    updated_at: body.updated_at,
  });
  assert.deepEqual(await read(), body);
  // The unknown loss reason is not an error here, because the deal is closed already.
  const again = await act("lose", { loss_reason_id: UNKNOWN_ID });
  assert.deepEqual(again.body, { ...body, idempotent: true });
  assert.deepEqual(await eventsSince(sql, workspace), ["deal.lost"]);
});

test("POST win and lose accept no body, an empty body and nulls, and keep the amounts that are not sent", async ({ sql }) => {
  for (const body of [undefined, "", {}, { unknown: 1 }]) {
    for (const [action, status] of [["win", "ganho"], ["lose", "perdido"]] as const) {
      const { act } = await makeOpenDeal(sql);
      const reply = await act(action, body);
      assert.deepEqual([reply.status, reply.body.status, reply.body.value], [200, status, 10], reply.text);
    }
  }
  const won = await (await makeOpenDeal(sql)).act("win", { value: null });
  assert.equal(won.body.value, null, "null clears, as in PATCH");
  const lost = await (await makeOpenDeal(sql)).act("lose", { loss_reason_id: null, loss_note: null });
  assert.equal(lost.body.status, "perdido");
});

test("POST win and lose refuse an invalid body and leave the deal open", async ({ sql }) => {
  const { workspace, deal, act, read } = await makeOpenDeal(sql);
  const other = await makeWorkspace(sql);
  for (const [field, bad] of Object.entries({ value: [-1, "5", 1e16], recurring_value: [-1, true] })) {
    for (const value of bad) {
      assertError(await act("win", { [field]: value }), "validation_error", [field]);
    }
  }
  for (const [field, bad] of Object.entries({ loss_reason_id: ["x", 5], loss_note: ["a".repeat(1001), 5] })) {
    for (const value of bad) {
      assertError(await act("lose", { [field]: value }), "validation_error", [field]);
    }
  }
  for (const body of ["[]", "{", "null"]) {
    assertError(await act("win", body), "bad_request");
    assertError(await act("lose", body), "bad_request");
  }
  const unknown = await act("lose", { loss_reason_id: UNKNOWN_ID });
  assertError(unknown, "invalid_reference", ["loss_reason_id"]);
  assertAlike(await act("lose", { loss_reason_id: await makeLossReason(sql, other) }), unknown);
  assertAlike(await act("lose", { loss_reason_id: await makeLossReason(sql, workspace, false) }), unknown);
  assert.deepEqual(await read(), deal);
  assert.deepEqual(await eventsOf(sql, workspace.id), ["deal.created"]);
  assert.equal((await act("lose", { loss_note: "é".repeat(1000) })).body.loss_note, "é".repeat(1000));
});

test("POST win on a lost deal and lose on a won deal change nothing, however the deal was closed (spec 3)", async ({ sql }) => {
  for (const [first, second] of [["win", "lose"], ["lose", "win"]] as const) {
    const { workspace, act } = await makeOpenDeal(sql);
    const { idempotent: _, ...closed } = (await act(first)).body;
    assert.deepEqual((await act(second)).body, { ...closed, idempotent: true });
    assert.equal((await eventsSince(sql, workspace)).length, 1);
  }
});

test("simultaneous wins emit one deal.won; when wins and losses race, only one takes effect (spec 3)", async ({ sql }) => {
  for (const actions of [["win", "win"], ["win", "lose"], ["lose", "win"], ["lose", "lose"]]) {
    const { workspace, deal, read } = await makeOpenDeal(sql);
    const calls = actions.map((action) => (api: Api) => api.post(`${DEALS}/${deal.id}/${action}`));
    const replies = await atOnce(workspace.id, "deals", deal.id, calls);
    const { status } = await read();
    assert.deepEqual(replies.map(isIdempotent).sort(), [false, true]);
    assert.ok(replies.every(({ body }) => body.status === status), "both see the same outcome");
    assert.deepEqual(await eventsSince(sql, workspace), [status === "ganho" ? "deal.won" : "deal.lost"]);
  }
  const { workspace, deal } = await makeOpenDeal(sql);
  const keys = await Promise.all(Array.from({ length: 64 }, () => makeKey(sql, workspace.id)));
  const wins = await Promise.all(keys.map(({ key }) => client(key).post(`${DEALS}/${deal.id}/win`)));
  assert.equal(wins.filter((reply) => !isIdempotent(reply)).length, 1);
  assert.deepEqual(await eventsSince(sql, workspace), ["deal.won"]);
});

test("PATCH status aberto reopens a closed deal and clears how it was closed; it can be closed again", async ({ sql }) => {
  const { workspace, deal, act, patch, read } = await makeOpenDeal(sql);
  await act("lose", { loss_reason_id: await makeLossReason(sql, workspace), loss_note: "caro" });
  const { status, body } = await patch({ status: "aberto", source: "volta" });
  assert.equal(status, 200);
  assert.deepEqual(body, { ...deal, source: "volta", updated_at: body.updated_at });
  assert.deepEqual(await read(), body);
  assert.equal((await patch({ status: "aberto" })).body.status, "aberto", "an open deal stays open");
  assert.equal(isIdempotent(await act("win")), false);
  assert.deepEqual((await patch({ status: "aberto" })).body.won_at, null);
  assert.equal(isIdempotent(await act("lose")), false);
  assert.deepEqual(await eventsSince(sql, workspace), [
    "deal.lost",
    "deal.reopened",
    "deal.won",
    "deal.reopened",
    "deal.lost",
  ]);
});

test("PATCH refuses to close a deal and names the action, but accepts a closed deal sent back as it was read", async ({ sql }) => {
  const { workspace, deal, act, patch, read } = await makeOpenDeal(sql);
  for (const [status, action] of [["ganho", "win"], ["perdido", "lose"]] as const) {
    const details = assertError(await patch({ status, title: "B" }), "validation_error");
    assert.deepEqual(Object.keys(details), ["status"]);
    assert.match(details["status"]!, new RegExp(`${deal.id}/${action}$`));
  }
  for (const status of ["open", "", null, 1]) {
    assert.ok("status" in assertError(await patch({ status }), "validation_error"));
  }
  assert.deepEqual(await read(), deal);
  await act("win");
  const won = await read();
  const { status, body } = await patch(won);
  assert.equal(status, 200);
  assert.deepEqual(body, { ...won, updated_at: body.updated_at });
  assertError(await patch({ status: "perdido" }), "validation_error");
  assert.deepEqual(await eventsSince(sql, workspace), ["deal.won"]);
});

test("Writes by the application set the same timestamps on a deal and emit the same events as the API (spec 6.1)", async ({ sql }) => {
  const { workspace, deal, read } = await makeOpenDeal(sql);
  await sql`update crm.deals set status = 'ganho', stage_id = ${
    workspace.stages[2]!.id
  } where id = ${deal.id}`;
  const won = await read();
  assert.deepEqual([won.won_at, won.closed_at, won.stage_changed_at], Array(3).fill(won.updated_at));
  assert.deepEqual((await eventsSince(sql, workspace)).sort(), ["deal.stage_changed", "deal.won"]);
  await sql`update crm.deals set status = 'aberto' where id = ${deal.id}`;
  const reopened = await read();
  assert.deepEqual([reopened.won_at, reopened.closed_at], [null, null]);
  await sql`update crm.deals set status = 'perdido', loss_note = 'caro' where id = ${deal.id}`;
  const lost = await read();
  assert.deepEqual([lost.lost_at, lost.closed_at, lost.loss_note], [
    lost.updated_at,
    lost.updated_at,
    "caro",
  ]);
  assert.deepEqual((await eventsSince(sql, workspace)).slice(2), ["deal.reopened", "deal.lost"]);
});

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

  test(`${way} moves a deal to a stage of another pipeline only if the pipeline is given (spec 4.6)`, async ({ sql }) => {
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
    assert.equal(
      (await move({ stage_id: first!.id })).status,
      200,
      "an unchanged stage is not checked again",
    );
    assert.equal(
      (await move({ stage_id: third!.id })).status,
      200,
      "an unchanged pipeline is not checked again",
    );
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
