// Closing, reopening and moving a deal between stages and pipelines, by its actions and by PATCH.
import assert from "node:assert/strict";
import { assertError, client, type Reply } from "../../support/client.ts";
import { makeKey } from "../../support/fixtures.ts";
import { atOnce, makeLossReason, makePipeline, UNKNOWN_ID } from "../../support/record_fixtures.ts";
import { type Scenario, test as testScenario } from "../../support/scenario.ts";

const DEALS = "/api-v1-deals";

type Api = ReturnType<typeof client>;

/** Creates an open deal; returns it with functions that call its endpoints. */
async function makeOpenDeal({ sql, api }: Pick<Scenario, "sql" | "api">) {
  const deal = (await api.post(DEALS, { title: "Venda", value: 10 })).body;
  return {
    deal,
    act: (action: string, body?: unknown) => api.post(`${DEALS}/${deal.id}/${action}`, body),
    patch: (body: object) => api.patch(`${DEALS}/${deal.id}`, body),
    read: async () => {
      const { contact: _, company: __, last_activity: ___, lead: ____, ...fields } =
        (await api.get(`${DEALS}/${deal.id}`)).body;
      return fields;
    },
    /** The events after the deal's creation, without deal.updated, which changes/events_of_changes_test.ts checks. */
    events: async () => {
      const events = await sql<{ event: string }[]>`
        select event::text from crm.events
        where object_id = ${deal.id} and event not in ('deal.created', 'deal.updated') order by id`;
      return events.map(({ event }) => event);
    },
  };
}

type OpenDeal = Awaited<ReturnType<typeof makeOpenDeal>>;

/** Registers a test that gets an open deal. */
const test = (title: string, run: (scenario: Scenario & OpenDeal) => Promise<void>) =>
  testScenario(title, async (scenario) => run({ ...scenario, ...await makeOpenDeal(scenario) }));

const isIdempotent = ({ status, body }: Reply) => {
  assert.equal(status, 200);
  return body.idempotent;
};

for (
  const [action, final, status, moment] of [
    ["win", { value: 99.9, recurring_value: 5 }, "ganho", "won_at"],
    ["lose", { loss_note: "caro" }, "perdido", "lost_at"],
  ] as const
) {
  test(`POST ${action} closes an open deal with ${Object.keys(final).join(" and ")}, and a closed deal stays as it is (spec 3, 4.6)`, async ({ sql, workspace, deal, act, read, events }) => {
    const sent = action === "win"
      ? final
      : { ...final, loss_reason_id: await makeLossReason(sql, workspace) };
    const { idempotent, ...body } = (await act(action, sent)).body;
    assert.equal(idempotent, false);
    const { updated_at } = body;
    const closed = { ...sent, status, [moment]: updated_at, closed_at: updated_at, updated_at };
    assert.deepEqual(body, { ...deal, ...closed });
    assert.deepEqual(await read(), body);
    // The deal is closed already, so the other value is ignored, and the unknown loss reason is no error.
    const again = await act(action, { value: 1, loss_reason_id: UNKNOWN_ID });
    const opposite = await act(action === "win" ? "lose" : "win");
    for (const reply of [again, opposite]) assert.deepEqual(reply.body, { ...body, idempotent: true });
    assert.deepEqual(await events(), [action === "win" ? "deal.won" : "deal.lost"]);
  });
}

test("POST win and lose accept no body, an empty body and nulls, and keep the amounts that are not sent", async (scenario) => {
  const nulls = { value: null, recurring_value: null, loss_reason_id: null, loss_note: null };
  for (const body of [undefined, "", {}, { unknown: 1 }, nulls]) {
    for (const [action, status] of [["win", "ganho"], ["lose", "perdido"]] as const) {
      const { act } = await makeOpenDeal(scenario);
      const reply = await act(action, body);
      assert.deepEqual([reply.status, reply.body.status, reply.body.value], [200, status, 10], reply.text);
    }
  }
});

test("POST win and lose refuse an invalid body and leave the deal open", async ({ sql, workspace, deal, act, read, events }) => {
  for (
    const [action, wrong] of [
      ["win", { value: -1, recurring_value: -1 }],
      ["win", { value: "5", recurring_value: true }],
      ["win", { value: 1e16 }],
      ["lose", { loss_reason_id: "x", loss_note: "a".repeat(1001) }],
      ["lose", { loss_reason_id: 5, loss_note: 5 }],
    ] as const
  ) assertError(await act(action, wrong), "validation_error", Object.keys(wrong));
  for (const body of ["[]", "{", "null"]) {
    for (const action of ["win", "lose"]) assertError(await act(action, body), "bad_request");
  }
  for (const loss_reason_id of [UNKNOWN_ID, await makeLossReason(sql, workspace, false)]) {
    assertError(await act("lose", { loss_reason_id }), "invalid_reference", ["loss_reason_id"]);
  }
  assert.deepEqual(await read(), deal);
  assert.deepEqual(await events(), []);
  assert.equal((await act("lose", { loss_note: "é".repeat(1000) })).body.loss_note, "é".repeat(1000));
});

test("simultaneous wins emit one deal.won; when wins and losses race, only one takes effect (spec 3)", async (scenario) => {
  const { sql, workspace } = scenario;
  for (const actions of [["win", "win"], ["win", "lose"], ["lose", "win"], ["lose", "lose"]]) {
    const { deal, read, events } = await makeOpenDeal(scenario);
    const calls = actions.map((action) => (api: Api) => api.post(`${DEALS}/${deal.id}/${action}`));
    const replies = await atOnce(workspace.id, "deals", deal.id, calls);
    const { status } = await read();
    assert.deepEqual(replies.map(isIdempotent).sort(), [false, true]);
    assert.ok(replies.every(({ body }) => body.status === status), "both see the same outcome");
    assert.deepEqual(await events(), [status === "ganho" ? "deal.won" : "deal.lost"]);
  }
  const { deal, events } = await makeOpenDeal(scenario);
  const keys = await Promise.all(Array.from({ length: 20 }, () => makeKey(sql, workspace.id)));
  const wins = await Promise.all(keys.map(({ key }) => client(key).post(`${DEALS}/${deal.id}/win`)));
  assert.equal(wins.filter((reply) => !isIdempotent(reply)).length, 1);
  assert.deepEqual(await events(), ["deal.won"]);
});

test("PATCH status aberto reopens a closed deal and clears the fields of its closing; the deal can be closed again", async ({ sql, workspace, deal, act, patch, read, events }) => {
  await act("lose", { loss_reason_id: await makeLossReason(sql, workspace), loss_note: "caro" });
  const { status, body } = await patch({ status: "aberto", source: "volta" });
  assert.equal(status, 200);
  assert.deepEqual(body, { ...deal, source: "volta", updated_at: body.updated_at });
  assert.deepEqual(await read(), body);
  assert.equal((await patch({ status: "aberto" })).body.status, "aberto", "an open deal stays open");
  assert.equal(isIdempotent(await act("win")), false);
  assert.deepEqual((await patch({ status: "aberto" })).body.won_at, null);
  assert.equal(isIdempotent(await act("lose")), false);
  const again = ["deal.reopened", "deal.won", "deal.reopened", "deal.lost"];
  assert.deepEqual(await events(), ["deal.lost", ...again]);
});

test("PATCH refuses to close a deal and names the action, but accepts a closed deal sent back as it was read", async ({ deal, act, patch, read, events }) => {
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
  const refused = assertError(await patch({ status: "perdido" }), "validation_error");
  assert.match(refused["status"]!, /^Reabra o negócio com o status aberto; .*\/lose$/);
  assert.deepEqual(await events(), ["deal.won"]);
});

test("Writes by the application set the same timestamps on a deal and emit the same events as the API (spec 6.1)", async ({ sql, workspace, deal, read, events }) => {
  const stage = workspace.stages[2].id;
  await sql`update crm.deals set status = 'ganho', stage_id = ${stage} where id = ${deal.id}`;
  const won = await read();
  assert.deepEqual([won.won_at, won.closed_at, won.stage_changed_at], Array(3).fill(won.updated_at));
  assert.deepEqual((await events()).sort(), ["deal.stage_changed", "deal.won"]);
  await sql`update crm.deals set status = 'aberto' where id = ${deal.id}`;
  const reopened = await read();
  assert.deepEqual([reopened.won_at, reopened.closed_at], [null, null]);
  await sql`update crm.deals set status = 'perdido', loss_note = 'caro' where id = ${deal.id}`;
  const lost = await read();
  const { updated_at } = lost;
  assert.deepEqual([lost.lost_at, lost.closed_at, lost.loss_note], [updated_at, updated_at, "caro"]);
  assert.deepEqual((await events()).slice(2), ["deal.reopened", "deal.lost"]);
});

for (const way of ["POST move-stage", "PATCH"] as const) {
  const mover = ({ act, patch }: Pick<OpenDeal, "act" | "patch">) => (body: object) =>
    way === "PATCH" ? patch(body) : act("move-stage", body);

  test(`${way} moves an open or closed deal to another stage, and emits the previous stage (spec 3, 4.6)`, async ({ sql, workspace, deal, act, patch, events }) => {
    const move = mover({ act, patch });
    const [first, second, third] = workspace.stages;
    const moved = (await move({ stage_id: second.id })).body;
    assert.deepEqual([moved.stage_id, moved.status, moved.title], [second.id, "aberto", "Venda"]);
    assert.equal(moved.stage_changed_at, moved.updated_at);
    assert.notEqual(moved.stage_changed_at, deal.stage_changed_at);
    const same = (await move({ stage_id: second.id })).body;
    assert.equal(same.stage_changed_at, moved.stage_changed_at, "the same stage is no change");
    if (way === "POST move-stage") assert.deepEqual([moved.idempotent, same.idempotent], [false, true]);
    await act("win");
    const closed = (await move({ stage_id: third.id, pipeline_id: workspace.pipelineId })).body;
    assert.deepEqual([closed.stage_id, closed.status], [third.id, "ganho"]);
    assert.deepEqual(await events(), ["deal.stage_changed", "deal.won", "deal.stage_changed"]);
    const [facts] = await sql`
    select facts from crm.events where object_id = ${deal.id} and event = 'deal.stage_changed' order by id limit 1`;
    assert.deepEqual(facts!["facts"], {
      previous_stage_id: first.id,
      previous_pipeline_id: workspace.pipelineId,
    });
  });

  test(`${way} moves a deal to a stage of another pipeline only if the pipeline is given (spec 4.6)`, async ({ sql, workspace, act, patch, read, events }) => {
    const move = mover({ act, patch });
    const { id: pipeline_id, stages: [stage_id, last] } = await makePipeline(sql, workspace);
    assertError(await move({ stage_id }), "stage_not_found");
    for (const { id } of workspace.stages) {
      assertError(await move({ stage_id: id, pipeline_id }), "stage_not_found");
    }
    assert.equal((await read()).stage_id, workspace.stages[0].id);
    const { body } = await move({ stage_id: last, pipeline_id });
    assert.deepEqual([body.pipeline_id, body.stage_id], [pipeline_id, last]);
    assert.deepEqual(await events(), ["deal.stage_changed"]);
  });

  test(`${way} refuses a stage or pipeline that is inactive or unknown (spec 4.6, 7)`, async ({ sql, workspace, deal, act, patch, read }) => {
    const move = mover({ act, patch });
    const [first, second, third] = workspace.stages;
    assertError(await move({ stage_id: UNKNOWN_ID }), "invalid_reference", ["stage_id"]);
    const nowhere = await move({ stage_id: second.id, pipeline_id: UNKNOWN_ID });
    assertError(nowhere, "pipeline_not_found", ["pipeline_id"]);
    await sql`update crm.stages set is_active = false where id in (${first.id}, ${second.id})`;
    assertError(await move({ stage_id: second.id }), "stage_not_found");
    const pipeline = await makePipeline(sql, workspace);
    await sql`update crm.pipelines set is_active = false where workspace_id = ${workspace.id}`;
    assertError(
      await move({ stage_id: pipeline.stages[0], pipeline_id: pipeline.id }),
      "pipeline_not_found",
    );
    assert.deepEqual(await read(), deal);
    // Neither the stage nor the pipeline is checked if it does not change.
    for (const { id } of [first, third]) assert.equal((await move({ stage_id: id })).status, 200);
  });
}

test("POST move-stage needs a stage_id", async ({ act, events }) => {
  for (const stage_id of [undefined, null, "x", 5]) {
    assertError(await act("move-stage", { stage_id }), "validation_error", ["stage_id"]);
  }
  assertError(await act("move-stage"), "bad_request");
  assert.deepEqual(await events(), []);
});

test("PATCH with another pipeline and no stage moves a deal to that pipeline's first active stage", async ({ sql, workspace, patch }) => {
  const { id: pipeline_id, stages } = await makePipeline(sql, workspace);
  const { body } = await patch({ pipeline_id });
  assert.deepEqual([body.pipeline_id, body.stage_id], [pipeline_id, stages[0]]);
  assert.equal((await patch({ pipeline_id })).body.stage_changed_at, body.stage_changed_at);
  await sql`update crm.stages set is_active = false where pipeline_id = ${workspace.pipelineId}`;
  assertError(await patch({ pipeline_id: workspace.pipelineId }), "pipeline_has_no_stage");
});
