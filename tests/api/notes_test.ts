import assert from "node:assert/strict";
import { assertError, call, client } from "../support/client.ts";
import { makeDeal, makeKey, makeWorkspaceWithDeal } from "../support/fixtures.ts";
import { fieldLimits } from "../support/field_limits.ts";
import { inputSchema } from "../support/input_schema.ts";
import { assertAlike, assertShown, create, ids, makeMember, UNKNOWN_ID } from "../support/record_fixtures.ts";
import { testLists } from "../support/record_rules.ts";
import { bodyOf } from "../support/resources.ts";
import { test } from "../support/scenario.ts";

const NOTES = "/api-v1-notes";

testLists({ path: NOTES, minimal: { body: "b" }, ofDeal: "created and listed" });

test("POST /api-v1-notes answers 201 with the whole note, which GET and the list return again (spec 2.2, 4.3, 9)", async ({ workspace, api, newDeal }) => {
  const deal = await newDeal();
  const created = await api.post(NOTES, { deal_id: deal.id, body: "Reunião: 45 min", kind: "observation" });
  assert.equal(created.status, 201);
  const fields = "id deal_id author_id body kind source created_at updated_at";
  assert.equal(Object.keys(created.body).join(" "), fields);
  const { id, created_at, updated_at, ...rest } = created.body;
  assertShown(rest, {
    deal_id: deal.id,
    author_id: workspace.memberId,
    body: "Reunião: 45 min",
    kind: "observation",
    source: "integration",
  });
  assert.equal(created_at, updated_at);
  assert.ok(created.headers.get("Location")?.endsWith(`${NOTES}/${id}`));
  assert.deepEqual((await api.get(`${NOTES}/${id}`)).body, created.body);
  assert.deepEqual((await api.get(`${NOTES}?deal_id=${deal.id}`)).body, {
    data: [created.body],
    meta: { next_cursor: null, has_more: false },
  });
});

test("POST /api-v1-notes: kind is note unless the body sets it (spec 2.2)", async ({ api, newDeal }) => {
  const deal = await newDeal();
  for (const kind of [undefined, null, "note"]) {
    assert.equal((await api.post(NOTES, { deal_id: deal.id, body: "b", kind })).body.kind, "note");
  }
});

test("POST /api-v1-notes keeps the body as it was sent (spec 2.2)", async ({ api, newDeal }) => {
  const deal = await newDeal();
  const bodies = [" ", "a", "  dois\r\n\tespaços  ", "é", "é".normalize("NFD"), "😀".repeat(10_000)];
  for (const body of bodies) {
    const { id } = (await api.post(NOTES, { deal_id: deal.id, body })).body;
    assert.equal((await api.get(`${NOTES}/${id}`)).body.body, body);
  }
});

test("POST /api-v1-notes names each field outside its limits (spec 2.2, 4.3, 8)", async ({ api, newDeal }) => {
  const deal = await newDeal();
  const body = bodyOf(NOTES, "POST", "/");
  const { required } = inputSchema(body);
  assert.deepEqual(required, ["deal_id", "body"]);
  for (const [field, { bad }] of Object.entries(fieldLimits(body))) {
    for (const value of [...bad, ...(required.includes(field) ? [undefined, null] : [])]) {
      const reply = await api.post(NOTES, { deal_id: deal.id, body: "b", [field]: value });
      assertError(reply, "validation_error", [field]);
    }
  }
});

test("POST /api-v1-notes: author and source cannot be chosen, and the reply names the ignored fields (spec 2.2)", async ({ workspace, api, newDeal }) => {
  const deal = await newDeal();
  const reply = await api.post(NOTES, { deal_id: deal.id, body: "b", author_id: UNKNOWN_ID, source: "user" });
  assert.equal(reply.status, 201);
  assert.equal(reply.body.author_id, workspace.memberId);
  assert.equal(reply.body.source, "integration");
  assert.equal(reply.headers.get("X-Ignored-Fields"), "author_id, source");
});

test("POST /api-v1-notes: the author is the creator of the key, and never another member once that one is inactive (spec 2.2, 4.3, 7)", async ({ sql, workspace, newDeal }) => {
  const deal = await newDeal();
  const seller = await makeMember(sql, workspace);
  const { key } = await makeKey(sql, workspace.id, { memberId: seller });
  const write = () => client(key).post(NOTES, { deal_id: deal.id, body: "b" });
  const { id, author_id } = (await write()).body;
  assert.equal(author_id, seller);

  await sql`update crm.members set is_active = false where id = ${seller}`;
  assertError(await write(), "no_author_available");
  assert.deepEqual(ids(await client(key).get(`${NOTES}?deal_id=${deal.id}`)), [id], "reading goes on");
  await sql`update crm.members set is_active = true where id = ${seller}`;
  assert.equal((await write()).status, 201);
});

test("POST /api-v1-notes refuses a deal of another workspace as one that does not exist (spec 2.2, 4.3)", async ({ sql, api }) => {
  const other = await makeWorkspaceWithDeal(sql);
  const write = (deal_id: string) => api.post(NOTES, { deal_id, body: "b" });
  const unknown = await write(UNKNOWN_ID);
  assertError(unknown, "invalid_reference", ["deal_id"]);
  assertAlike(await write(other.deal.id), unknown);
  const [count] = await sql`select count(*)::int as n from crm.notes where deal_id = ${other.deal.id}`;
  assert.equal(count!["n"], 0);
});

test("GET /api-v1-notes/:id answers 404 for a note of another workspace's deal as for none (spec 4.3)", async ({ sql, api }) => {
  const other = await makeWorkspaceWithDeal(sql);
  const { id } = (await other.api.post(NOTES, { deal_id: other.deal.id, body: "b" })).body;
  const foreign = await api.get(`${NOTES}/${id}`);
  assertError(foreign, "not_found");
  assertAlike(await api.get(`${NOTES}/${UNKNOWN_ID}`), foreign);
  assertError(await api.get(`${NOTES}/x`), "not_found");
});

test("GET /api-v1-notes needs deal_id and refuses wrong filters (spec 4.3)", async ({ api, newDeal }) => {
  const deal = await newDeal();
  const fields = async (query: string) =>
    Object.keys(assertError(await api.get(`${NOTES}${query}`), "validation_error"));
  assert.deepEqual(await fields(""), ["deal_id"]);
  assert.deepEqual(await fields("?deal_id="), ["deal_id"]);
  assert.deepEqual(await fields("?deal_id=x"), ["deal_id"]);
  assert.deepEqual(await fields("?kind=note"), ["deal_id"]);
  assert.deepEqual(await fields(`?deal_id=${deal.id}&kind=x`), ["kind"]);
  assert.deepEqual(await fields(`?deal_id=${deal.id}&since=ontem`), ["since"]);
});

test("GET /api-v1-notes lists the notes of that deal, by kind and since (spec 4.0, 4.3)", async ({ workspace, api, newDeal }) => {
  const deal = await newDeal();
  const another = await makeDeal(workspace.key);
  const write = (deal_id: string, kind: string) => create(workspace.key, NOTES, { deal_id, body: "b", kind });
  const a = await write(deal.id, "note");
  const b = await write(deal.id, "observation");
  const c = await write(another.id, "note");
  const list = async (query: string) => ids(await api.get(`${NOTES}?${query}`));
  assert.deepEqual(await list(`deal_id=${deal.id}`), [b.id, a.id]);
  assert.deepEqual(await list(`deal_id=${another.id}`), [c.id]);
  assert.deepEqual(await list(`deal_id=${deal.id}&kind=note`), [a.id]);
  assert.deepEqual(await list(`deal_id=${deal.id}&kind=observation`), [b.id]);
  assert.deepEqual(await list(`deal_id=${deal.id}&since=${b["created_at"]}`), [b.id]);
  assert.deepEqual(await list(`deal_id=${deal.id}&updated_since=${b["updated_at"]}`), [b.id]);
});

test("GET /api-v1-notes answers for a deal of another workspace as for one that does not exist (spec 4.3)", async ({ sql, api }) => {
  const other = await makeWorkspaceWithDeal(sql);
  await other.api.post(NOTES, { deal_id: other.deal.id, body: "b" });
  const foreign = await api.get(`${NOTES}?deal_id=${other.deal.id}`);
  assert.deepEqual(foreign.body, { data: [], meta: { next_cursor: null, has_more: false } });
  assertAlike(await api.get(`${NOTES}?deal_id=${UNKNOWN_ID}`), foreign);
});

test("notes can be neither changed nor removed (spec 2.2)", async ({ workspace, api, newDeal }) => {
  const deal = await newDeal();
  const note = (await api.post(NOTES, { deal_id: deal.id, body: "b" })).body;
  for (const method of ["PATCH", "DELETE", "PUT"]) {
    for (const path of [NOTES, `${NOTES}/${note.id}`]) {
      assertError(
        await call(method, path, { key: workspace.key, body: { body: "outro" } }),
        "method_not_allowed",
      );
    }
  }
  assert.deepEqual((await api.get(`${NOTES}/${note.id}`)).body, note);
});
