import assert from "node:assert/strict";
import { assertError, client } from "../support/client.ts";
import { makeKey } from "../support/fixtures.ts";
import { fieldLimits } from "../support/field_limits.ts";
import { assertShown, ids, makeMember, UNKNOWN_ID } from "../support/record_fixtures.ts";
import { assertLimits, testLists } from "../support/record_rules.ts";
import { bodyOf, keyEndpoints } from "../support/resources.ts";
import { test } from "../support/scenario.ts";

const NOTES = "/api-v1-notes";

testLists({ path: NOTES, minimal: { body: "b" }, ofDeal: "created and listed" });

test("POST /api-v1-notes answers 201 with the whole note, which GET and the list return again (spec 2.2, 4.3, 9)", async ({ workspace, api, newDeal }) => {
  const deal = await newDeal();
  const sent = { deal_id: deal.id, body: "Reunião: 45 min", kind: "observation" };
  const created = await api.post(NOTES, { ...sent, author_id: UNKNOWN_ID, source: "user" });
  assert.equal(created.status, 201);
  assert.equal(created.headers.get("X-Ignored-Fields"), "author_id, source", "neither can be chosen");
  const fields = "id deal_id author_id body kind source created_at updated_at";
  assert.equal(Object.keys(created.body).join(" "), fields);
  const { id, created_at, updated_at, ...rest } = created.body;
  assertShown(rest, { ...sent, author_id: workspace.memberId, source: "integration" });
  assert.equal(created_at, updated_at);
  assert.ok(created.headers.get("Location")?.endsWith(`${NOTES}/${id}`));
  assert.deepEqual((await api.get(`${NOTES}/${id}`)).body, created.body);
  assert.deepEqual((await api.get(`${NOTES}?deal_id=${deal.id}`)).body, {
    data: [created.body],
    meta: { next_cursor: null, has_more: false },
  });
});

test("POST /api-v1-notes keeps the text as it was sent, and the kind is note by default (spec 2.2)", async ({ api, newDeal }) => {
  const { id: deal_id } = await newDeal();
  const bodies = [" ", "a", "  dois\r\n\tespaços  ", "é", "é".normalize("NFD"), "😀".repeat(10_000)];
  for (const body of bodies) {
    const { id } = (await api.post(NOTES, { deal_id, body })).body;
    assert.equal((await api.get(`${NOTES}/${id}`)).body.body, body);
  }
  for (const kind of [undefined, null, "note"]) {
    assert.equal((await api.post(NOTES, { deal_id, body: "b", kind })).body.kind, "note");
  }
});

test("POST /api-v1-notes accepts each field within its limits, and names all fields beyond their limits, and an unknown deal (spec 2.2, 4.3, 8)", async ({ api, newDeal }) => {
  const { id: deal_id } = await newDeal();
  await assertLimits(
    fieldLimits(bodyOf(NOTES, "POST", "/")),
    (body) => api.post(NOTES, { deal_id, body: "b", ...body }),
  );
  for (const nothing of [{}, { deal_id: null, body: null }]) {
    assertError(await api.post(NOTES, nothing), "validation_error", ["deal_id", "body"]);
  }
  const unknown = await api.post(NOTES, { deal_id: UNKNOWN_ID, body: "b" });
  assertError(unknown, "invalid_reference", ["deal_id"]);
});

test("POST /api-v1-notes: the author is the key's creator; while the creator is inactive, the call answers no_author_available (spec 2.2, 4.3, 7)", async ({ sql, workspace, newDeal }) => {
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

Deno.test("notes can be neither changed nor removed (spec 2.2)", () => {
  const methods = keyEndpoints.filter(({ resource }) => `/${resource.name}` === NOTES)
    .map(({ route }) => route.method);
  assert.deepEqual(new Set(methods), new Set(["GET", "POST"]));
});
