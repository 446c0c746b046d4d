import assert from "node:assert/strict";
import { assertError } from "../../support/client.ts";
import { makeWorkspace } from "../../support/fixtures.ts";
import {
  assertAlike,
  assertShown,
  eventsOf,
  makeCompany,
  makeContact,
  makePipeline,
  nextMillisecond,
  UNKNOWN_ID,
} from "../../support/record_fixtures.ts";
import { testRecordRules } from "../../support/record_rules.ts";
import { test } from "../../support/scenario.ts";

const DEALS = "/api-v1-deals";

testRecordRules({
  path: DEALS,
  minimal: { title: "Venda" },
  limits: {
    // Without a contact or company, a deal needs a title.
    title: { alsoBad: ["  ", null] },
    // Only the win and lose actions set the other statuses.
    status: { good: ["aberto"] },
  },
  references: ["company_id", "contact_id", "owner_id", "stage_id"],
});

test("POST /api-v1-deals answers 201 with the whole deal, its title trimmed (spec 2.7, 4.6)", async ({ sql, workspace, api }) => {
  const sent = { value: 123456789.99, external_id: "Ext 1" };
  const { status, body } = await api.post(DEALS, { title: " Venda ", ...sent });
  assert.equal(status, 201);
  const { id: _, created_at, updated_at, stage_changed_at, ...rest } = body;
  const { id: workspace_id, memberId: owner_id, pipelineId: pipeline_id, stages: [{ id: stage_id }] } =
    workspace;
  const filled = { workspace_id, owner_id, pipeline_id, stage_id, status: "aberto" };
  assertShown(rest, { title: "Venda", ...sent, ...filled });
  assert.deepEqual([updated_at, stage_changed_at], [created_at, created_at]);
  assert.deepEqual(await eventsOf(sql, workspace.id), ["deal.created"]);
});

test("POST /api-v1-deals needs a title, a contact or a company, and takes a missing title from the contact or company", async ({ sql, workspace, api }) => {
  const contact_id = await makeContact(sql, workspace);
  const company_id = await makeCompany(sql, workspace);
  const title = async (body: object) => (await api.post(DEALS, body)).body.title;
  assert.equal(await title({ contact_id }), "Ana");
  assert.equal(await title({ company_id }), "Padaria");
  assert.equal(await title({ contact_id, company_id, title: null }), "Ana");
  assert.equal(await title({ contact_id, title: "Venda" }), "Venda");
  for (const body of [{}, { value: 1 }, { title: null, contact_id: null, company_id: null }]) {
    assertError(await api.post(DEALS, body), "validation_error", ["title"]);
  }
  const details = assertError(await api.post(DEALS, { value: -1, owner_id: "x" }), "validation_error");
  assert.deepEqual(Object.keys(details).sort(), ["owner_id", "title", "value"], "all at once");
});

test("POST /api-v1-deals puts the deal in the given stage, or in the default pipeline's first active stage (spec 4.6, 7)", async ({ sql, workspace, api }) => {
  const post = (place: object) => api.post(DEALS, { title: "A", ...place });
  const pipeline = await makePipeline(sql, workspace);
  const first = (await post({})).body;
  assert.deepEqual([first.pipeline_id, first.stage_id], [workspace.pipelineId, workspace.stages[0]!.id]);
  assert.equal((await post({ pipeline_id: pipeline.id })).body.stage_id, pipeline.stages[0]);
  const [, stage_id] = pipeline.stages;
  assert.equal((await post({ pipeline_id: pipeline.id, stage_id })).body.stage_id, stage_id);

  assertError(await post({ pipeline_id: UNKNOWN_ID }), "pipeline_not_found", ["pipeline_id"]);
  const both = { pipeline_id: (await makeWorkspace(sql)).pipelineId, stage_id: UNKNOWN_ID };
  assertAlike(await post(both), await post({ stage_id: UNKNOWN_ID }));
  assertError(await post({ stage_id }), "stage_not_found", ["stage_id"]);
  await sql`update crm.stages set is_active = false where workspace_id = ${workspace.id}`;
  assertError(await post({}), "pipeline_has_no_stage");
  await sql`update crm.pipelines set is_active = false where workspace_id = ${workspace.id}`;
  assertError(await post({}), "no_default_pipeline");
  assertError(await post({ pipeline_id: pipeline.id }), "pipeline_not_found");
});

test("GET /api-v1-deals/<uuid> adds the contact, the company and the newest activity, or null (spec 4.6)", async ({ sql, workspace, api }) => {
  const { body: { id: withoutLead } } = await api.post(DEALS, { title: "A" });
  const { body: bare } = await api.patch(`${DEALS}/${withoutLead}`, { lead: { first_name: "Ana" } });
  assert.deepEqual((await api.get(`${DEALS}/${bare.id}`)).body, {
    ...bare,
    contact: null,
    company: null,
    last_activity: null,
    lead: null,
  });

  const contact_id = await makeContact(sql, workspace);
  const company_id = await makeCompany(sql, workspace);
  const { id } = (await api.post(DEALS, { contact_id, company_id })).body;
  await api.post("/api-v1-activities", { deal_id: id, title: "primeira" });
  await nextMillisecond();
  const last = (await api.post("/api-v1-activities", { deal_id: id, title: "segunda" })).body;
  await api.post("/api-v1-activities", { deal_id: bare.id, title: "de outro negócio" });
  const { body } = await api.get(`${DEALS}/${id}`);
  assert.deepEqual(body.contact, (await api.get(`/api-v1-contacts/${contact_id}`)).body);
  assert.deepEqual(body.company, (await api.get(`/api-v1-companies/${company_id}`)).body);
  assert.deepEqual(body.last_activity, last);
  assert.equal(body.last_activity_at, last.created_at);
  assert.deepEqual(Object.keys(body).slice(0, 3), ["id", "workspace_id", "title"]);
});

test("A deal's amounts come back as they were sent (spec 1)", async ({ api }) => {
  const amounts =
    "0.1 0.005 1e12 123456789.99 70368744177663.99 90000000000000.00 9.00000000000001e14 1e15 1e-15";
  for (const amount of amounts.split(" ")) {
    const value = Number(amount);
    const { id, ...sent } =
      (await api.post(DEALS, `{"title":"A","value":${amount},"recurring_value":${amount}}`)).body;
    const read = (await api.get(`${DEALS}/${id}`)).body;
    assert.deepEqual([sent.value, read.value, read.recurring_value], [value, value, value]);
  }
});
