// What the details of an error say about an id: its kind and the valid choices, but nothing about other workspaces.
import assert from "node:assert/strict";
import { FOUND_KINDS } from "../../supabase/functions/_shared/contract/errors/found_kinds.ts";
import { assertError, call, client, type Reply } from "../support/client.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import {
  assertAlike,
  ids,
  makeCompany,
  makeContact,
  makeLossReason,
  makeMember,
  makePipeline,
  UNKNOWN_ID,
} from "../support/record_fixtures.ts";
import { test } from "../support/scenario.ts";
import { subscribe } from "../support/webhooks.ts";

const CONTACTS = "/api-v1-contacts";
const DEALS = "/api-v1-deals";

const choicesOf = ({ body }: Reply, at = 0) =>
  body.error.details[at].choices?.map(({ id }: { id: string }) => id);

test("The choices for an owner, a loss reason or a pipeline are the active members, reasons or pipelines", async ({ sql, workspace, api, newDeal }) => {
  const seller = await makeMember(sql, workspace);
  const former = await makeMember(sql, workspace);
  await sql`update crm.members set is_active = false where id = ${former}`;
  const owner = await api.post(CONTACTS, { name: "Ana", owner_id: former });
  assert.equal(
    assertError(owner, "invalid_reference")["owner_id"],
    "Está inativo; use um dos ids de choices",
  );
  assert.deepEqual(choicesOf(owner), [workspace.memberId, seller]);

  await makeLossReason(sql, workspace, false);
  const lose = async () =>
    await api.post(`${DEALS}/${(await newDeal()).id}/lose`, { loss_reason_id: UNKNOWN_ID });
  const none = await lose();
  assert.equal(choicesOf(none), undefined);
  assert.equal(
    assertError(none, "invalid_reference")["loss_reason_id"],
    "Não existe no workspace; o workspace não tem nenhum, então não envie este campo",
  );
  const reason = await makeLossReason(sql, workspace);
  assert.deepEqual((await lose()).body.error.details[0].choices, [{ id: reason, name: "Preço" }]);

  const other = await makePipeline(sql, workspace);
  const closed = await makePipeline(sql, workspace);
  await sql`update crm.pipelines set is_active = false where id = ${closed.id}`;
  const pipeline = await api.post(DEALS, { title: "Plano", pipeline_id: closed.id });
  assert.deepEqual(choicesOf(pipeline), [workspace.pipelineId, other.id]);
});

test("The choices for a stage come from the named pipeline, or from the deal's pipeline, or from the default pipeline", async ({ sql, workspace, api, newDeal }) => {
  const other = await makePipeline(sql, workspace);
  const first = workspace.stages.map(({ id }) => id);
  const unknown = { stage_id: UNKNOWN_ID };
  const created = await api.post(DEALS, { title: "Plano", ...unknown });
  assert.deepEqual(choicesOf(created), first);
  const types = created.body.error.details[0].choices.map(({ type }: { type: string }) => type);
  assert.deepEqual(types, workspace.stages.map(({ type }) => type));
  assert.deepEqual(choicesOf(await api.post("/api-v1-leads", { first_name: "Ana", ...unknown })), first);
  const named = { title: "Plano", pipeline_id: other.id, external_id: "p-1" };
  assert.deepEqual(choicesOf(await api.post(DEALS, { ...named, ...unknown })), other.stages);
  assert.equal((await api.post(DEALS, named)).status, 201);
  const upsert = `${DEALS}/upsert?match_by=external_id`;
  assert.deepEqual(choicesOf(await api.post(upsert, { external_id: "p-1", ...unknown })), other.stages);
  const { id } = await newDeal();
  await api.post(`${DEALS}/${id}/move-stage`, { pipeline_id: other.id, stage_id: other.stages[0] });
  assert.deepEqual(
    choicesOf(await api.post(`${DEALS}/${id}/move-stage`, { stage_id: first[0] })),
    other.stages,
  );
  assert.deepEqual(choicesOf(await api.patch(`${DEALS}/${id}`, unknown)), other.stages);
  const listed = choicesOf(await api.get(`${DEALS}?stage_id=${UNKNOWN_ID}`));
  assert.deepEqual(listed.sort(), [...first, ...other.stages].sort());
});

test("An error lists up to 20 members as choices, and none if there are 21", async ({ sql, workspace, api }) => {
  const send = () => api.post(CONTACTS, { name: "Ana", owner_id: UNKNOWN_ID });
  for (let count = 1; count < 20; count++) await makeMember(sql, workspace);
  assert.equal(choicesOf(await send()).length, 20);
  await makeMember(sql, workspace);
  const many = await send();
  assert.deepEqual(choicesOf(many), undefined);
  assert.equal(assertError(many, "invalid_reference")["owner_id"], "Não existe no workspace");
});

test("A batch, atomic or not, lists the choices for a field only with the first invalid item", async ({ api, workspace }) => {
  const data = { name: "Ana", owner_id: UNKNOWN_ID };
  const items = [{ op: "create", data: { name: "Bia" } }, ...Array(30).fill({ op: "create", data })];
  const { body } = await api.post(`${CONTACTS}/batch`, { items });
  // deno-lint-ignore no-explicit-any -- as in Reply
  const details = body.results.slice(1).map(({ error }: any) => error.details[0]);
  const choices = [{ id: workspace.memberId, name: details[0].choices[0].name }];
  assert.deepEqual(details[0], {
    field: "items[1].owner_id",
    message: "Não existe no workspace; use um dos ids de choices",
    choices,
  });
  assert.deepEqual(details[29], { field: "items[30].owner_id", message: "Não existe no workspace" });
  const atomic = await api.post(`${CONTACTS}/batch`, { items, atomic: true });
  assertError(atomic, "batch_failed");
  assert.deepEqual(atomic.body.error.details[0], details[0]);
  assert.equal(atomic.text.match(/"choices":/g)!.length, 1);
});

test("not_found and invalid_reference say which kind of record an id belongs to, and how to read it (spec 7)", async ({ sql, workspace, api, newDeal }) => {
  const { id: deal, contactId: contact } = await newDeal();
  const company = await makeCompany(sql, workspace);
  const { body: note } = await api.post("/api-v1-notes", { deal_id: deal, body: "Ligou" });
  const { body: activity } = await api.post("/api-v1-activities", { deal_id: deal });
  const webhook = await subscribe(workspace.key, "https://crm.example/x", ["deal.won"]);
  const records = {
    contact,
    company,
    deal,
    note: note.id,
    activity: activity.id,
    webhook: webhook.id,
    owner: workspace.memberId,
    pipeline: workspace.pipelineId,
    stage: workspace.stages[0].id,
    loss_reason: await makeLossReason(sql, workspace),
  };
  assert.deepEqual(Object.keys(records).sort(), Object.keys(FOUND_KINDS).sort());
  for (const [kind, id] of Object.entries(records) as [keyof typeof FOUND_KINDS, string][]) {
    const { name, operation } = FOUND_KINDS[kind];
    const message = `Este id é de ${name}: use ${operation}`;
    const path = kind === "company" ? CONTACTS : "/api-v1-companies";
    for (const reply of [await api.get(`${path}/${id}`), await api.patch(`${path}/${id}`, { name: "B" })]) {
      assert.deepEqual(assertError(reply, "not_found"), { id: message });
      assert.equal(reply.body.error.message, `Registro não encontrado. ${message}`);
    }
    if (kind === "company") continue;
    const referring = await api.post(CONTACTS, { name: "Ana", company_id: id });
    const instead = `Este id é de ${name} (${operation}); informe o de uma empresa`;
    assert.deepEqual(assertError(referring, "invalid_reference"), { company_id: instead });
  }
});

test("A reference to a merged record names the record that answers in its place, in a batch too", async ({ api }) => {
  for (const [path, field] of [[CONTACTS, "contact_id"], ["/api-v1-companies", "company_id"]] as const) {
    const { body: { id: kept } } = await api.post(path, { name: "A" });
    const { body: { id: merged } } = await api.post(path, { name: "B" });
    assert.equal((await api.post(`${path}/${kept}/merge`, { merge_id: merged })).status, 200);
    const message = "Foi unido ao registro indicado";
    const data = { title: "Plano", [field]: merged };
    const reply = await api.post(DEALS, data);
    assertError(reply, "invalid_reference");
    assert.deepEqual(reply.body.error.details, [{ field, message, id: kept }]);
    const batch = { items: [{ op: "create", data }], atomic: true };
    assert.deepEqual((await api.post(`${DEALS}/batch`, batch)).body.error.details, [
      { field: `items[0].${field}`, message, id: kept },
    ]);
  }
});

test("A refused DELETE names the operation that archives, and the error for a key in Authorization names X-API-Key (spec 4)", async ({ api, workspace }) => {
  const { body: { id } } = await api.post(CONTACTS, { name: "Ana" });
  const refused = await call("DELETE", `${CONTACTS}/${id}`, { key: workspace.key });
  assertError(refused, "method_not_allowed");
  assert.match(refused.body.error.message, /Para arquivar, use POST \/api-v1-contacts\/:id\/archive$/);
  const bearer = await call("GET", CONTACTS, { session: workspace.key });
  assertError(bearer, "missing_api_key");
  assert.match(bearer.body.error.message, /X-API-Key, não em Authorization$/);
});

test("The id of another workspace's record counts as unknown: no error says its kind, and no choice is of another workspace (spec 7)", async ({ sql, api, workspace }) => {
  const theirs = await makeWorkspace(sql);
  const contact = await makeContact(sql, theirs);
  assertAlike(await api.get(`${DEALS}/${contact}`), await api.get(`${DEALS}/${UNKNOWN_ID}`));
  const ids = {
    contact_id: theirs.memberId,
    company_id: contact,
    owner_id: theirs.memberId,
    stage_id: theirs.stages[0].id,
    pipeline_id: theirs.pipelineId,
  };
  for (const [field, id] of Object.entries(ids)) {
    const reply = await api.post(DEALS, { title: "Plano", [field]: id });
    assertAlike(reply, await api.post(DEALS, { title: "Plano", [field]: UNKNOWN_ID }));
    assert.doesNotMatch(reply.text, new RegExp([theirs.memberId, theirs.pipelineId, contact].join("|")));
  }
  const mine = await makeContact(sql, workspace);
  assertError(await client(theirs.key).get(`${DEALS}/${mine}`), "not_found");
  assert.equal((await client(theirs.key).get(`${DEALS}/${mine}`)).body.error.details, undefined);
});

test("A filter by an unknown owner, stage or pipeline is an error, and a filter by an inactive owner, stage or pipeline works (spec 7)", async ({ sql, workspace, api, newDeal }) => {
  await newDeal();
  const former = await makeMember(sql, workspace);
  const pipeline = await makePipeline(sql, workspace);
  await sql`update crm.members set is_active = false where id = ${former}`;
  await sql`update crm.pipelines set is_active = false where id = ${pipeline.id}`;
  await sql`update crm.stages set is_active = false where id = ${pipeline.stages[0]!}`;
  const theirs = await makeWorkspace(sql);
  const lists: [string, Record<string, [string, string]>][] = [
    [DEALS, {
      owner_id: [former, theirs.memberId],
      pipeline_id: [pipeline.id, theirs.pipelineId],
      stage_id: [pipeline.stages[0]!, theirs.stages[0].id],
    }],
    ["/api-v1-companies", { owner_id: [former, theirs.memberId] }],
    ["/api-v1-activities", { owner_id: [former, theirs.memberId] }],
  ];
  for (const [path, filters] of lists) {
    for (const [field, [inactive, foreign]] of Object.entries(filters)) {
      const known = await api.get(`${path}?${field}=${inactive}`);
      assert.deepEqual([known.status, ids(known)], [200, []]);
      for (const others of ["", "&since=2026-01-01", `&cursor=${UNKNOWN_ID}`, "&updated_since=2026-01-01"]) {
        const unknown = await api.get(`${path}?${field}=${UNKNOWN_ID}${others}`);
        assertError(unknown, "invalid_reference", [field]);
        assertAlike(await api.get(`${path}?${field}=${foreign}${others}`), unknown);
      }
    }
  }
  for (const [field, [inactive]] of Object.entries(lists[0]![1])) {
    assert.equal((await api.get(`${DEALS}/summary?${field}=${inactive}`)).body.totals.count, 0);
    assert.ok(choicesOf(await api.get(`${DEALS}/summary?${field}=${UNKNOWN_ID}`)));
  }
  const both = await api.get(`${DEALS}?owner_id=${UNKNOWN_ID}&stage_id=${UNKNOWN_ID}&q=padaria`);
  assertError(both, "invalid_reference", ["owner_id", "stage_id"]);
  // A filter by an unknown contact or deal is no error, because the record may have been deleted. The list is empty.
  assert.deepEqual(ids(await api.get(`${DEALS}?contact_id=${UNKNOWN_ID}`)), []);
  assert.deepEqual(ids(await api.get(`/api-v1-notes?deal_id=${UNKNOWN_ID}`)), []);
});
