// POST …/batch: errors of one item, and errors of the whole call.
import assert from "node:assert/strict";
import { BATCH, create, full, statuses, update } from "../../support/batches.ts";
import { assertError, call } from "../../support/client.ts";
import { makeWorkspace } from "../../support/fixtures.ts";
import { eventsOf, ids, makeMember, UNKNOWN_ID } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";

const CONTACTS = "/api-v1-contacts";

test("if one of 100 items is invalid, 99 are kept, and the invalid item has the same error as a call for one record", async ({ api }) => {
  const wrong = { name: "", email: "x", custom_fields: 1 };
  const single = await api.post(CONTACTS, wrong);
  const reply = await api.post(BATCH, {
    items: full((index) => create(index === 7 ? wrong : { name: `${index}` })),
  });
  assert.deepEqual(reply.body.summary, { created: 99, updated: 0, failed: 1 });
  const { index, status, error, id } = reply.body.results[7];
  assert.deepEqual([index, status, id], [7, single.status, undefined]);
  const { details, ...named } = single.body.error;
  assert.deepEqual(error, {
    ...named,
    details: details.map(({ field, message }: { field: string; message: string }) => ({
      field: `items[7].${field}`,
      message,
    })),
  });
  assert.equal(ids(await api.get(`${CONTACTS}?limit=200`)).length, 99);
});

test("an error that the database finds is also the same as in a call for one record, and the other items are written", async ({ sql, workspace, api }) => {
  const owner_id = await makeMember(sql, await makeWorkspace(sql));
  const sent = { name: "A", owner_id, company_id: UNKNOWN_ID };
  const single = await api.post(CONTACTS, sent);
  await api.post(CONTACTS, { name: "B", external_id: "erp-1" });
  const events = await eventsOf(sql, workspace.id);
  const reply = await api.post(BATCH, {
    items: [
      ...Array.from({ length: 14 }, (_, index) => create({ name: `antes ${index}` })),
      create(sent),
      create({ name: "C", external_id: "erp-1" }),
      update(UNKNOWN_ID, { name: "D" }),
      ...Array.from({ length: 14 }, (_, index) => create({ name: `depois ${index}` })),
    ],
  });
  assert.deepEqual(reply.body.summary, { created: 28, updated: 0, failed: 3 });
  const [reference, taken, missing] = reply.body.results.slice(14, 17);
  const { details, ...named } = single.body.error;
  assert.deepEqual(reference.error, {
    ...named,
    details: details.map((detail: { field: string }) => ({ ...detail, field: `items[14].${detail.field}` })),
  });
  assert.deepEqual([taken.status, taken.error.code], [409, "external_id_taken"]);
  assert.equal(taken.error.details[0].field, "items[15].external_id");
  const unknown = await api.get(`${CONTACTS}/${UNKNOWN_ID}`);
  assert.deepEqual([missing.status, missing.error], [404, unknown.body.error]);
  const emitted = (await eventsOf(sql, workspace.id)).length - events.length;
  assert.equal(emitted, 28, "an item that was rolled back emits nothing");
});

test("a body without 1 to 100 items is refused as a whole, and writes nothing", async ({ api }) => {
  const item = create({ name: "A" });
  for (const items of [undefined, null, {}, [], [...full(() => item), item]]) {
    assertError(await api.post(BATCH, { items }), "validation_error", ["items"]);
  }
  assertError(await api.post(BATCH, { items: [item], atomic: "true" }), "validation_error", ["atomic"]);
  assert.deepEqual(ids(await api.get(CONTACTS)), []);
});

test("one reply names the errors of the batch itself and those of its items", async ({ api }) => {
  const items = [create({ name: "A", x: 1 }), create({ name: "" }), update(UNKNOWN_ID, { email: "b@x.com" })];
  const strict = { Prefer: "handling=strict" };
  const unknown = await api.post(BATCH, { items, y: 1 }, strict);
  assertError(unknown, "validation_error", ["y", "items[0].x", "items[1].name"]);
  const malformed = await api.post(BATCH, { items, atomic: "true" });
  assertError(malformed, "validation_error", ["atomic", "items[1].name"]);
  const atomic = await api.post(BATCH, { items, atomic: true }, strict);
  assertError(atomic, "validation_error", ["items[0].x", "items[1].name"]);
  const applied = [unknown, malformed, atomic].map(({ headers }) => headers.get("Preference-Applied"));
  assert.deepEqual(applied, ["handling=strict", null, "handling=strict"]);
  assert.deepEqual(ids(await api.get(CONTACTS)), []);
});

test("the error of a malformed item says what is wrong with it, and the other items are written", async ({ workspace: { key }, api }) => {
  const cases: [unknown, string[]][] = [
    [null, [""]],
    ["create", [""]],
    [[], [""]],
    [{}, ["op", "data"]],
    [{ op: "delete", data: {} }, ["op"]],
    [{ op: "__proto__", data: {} }, ["op"]],
    [{ op: "toString", data: {} }, ["op"]],
    [{ op: "create" }, ["data"]],
    [{ op: "create", data: null }, ["data"]],
    [{ op: "create", data: [] }, ["data"]],
    [{ op: "create", data: {} }, ["name"]],
    [{ op: "update", data: { name: "" } }, ["id", "name"]],
    [{ op: "update", id: "1", data: {} }, ["id"]],
    [{ op: "upsert", data: { name: "A" } }, ["match_by"]],
    [{ op: "upsert", match_by: "name", data: { name: "A" } }, ["match_by"]],
    [{ op: "upsert", match_by: "email", data: { name: "A" } }, ["email"]],
    [{ op: "create", data: { name: "\u0000" } }, ["name"]],
    [{ op: "create", data: { name: "A", custom_fields: { x: "\ud800" } } }, ["custom_fields.x"]],
  ];
  const reply = await api.post(BATCH, { items: [...cases.map(([item]) => item), create({ name: "A" })] });
  assert.equal(reply.status, 200, reply.text);
  for (const [index, [, fields]] of cases.entries()) {
    const { error } = reply.body.results[index];
    assert.equal(error.code, "validation_error");
    assert.deepEqual(
      error.details.map(({ field }: { field: string }) => field),
      fields.map((field) => `items[${index}]${field && `.${field}`}`),
    );
  }
  assert.deepEqual(reply.body.summary, { created: 1, updated: 0, failed: cases.length });
  // JSON.parse accepts repeated keys, but keeps only the last value of each.
  const twice =
    '{"items":[{"op":"create","data":{"name":"B","name":"C"}},{"op":"create","op":"update","data":{"name":"D"}},{"op":"create","data":{"name":"E"}}]}';
  const { body: { results } } = await call("POST", BATCH, { key, body: twice });
  assert.deepEqual(
    results.map(({ error }: { error?: { details: { field: string }[] } }) => error?.details[0]?.field),
    ["items[0].name", "items[1].op", undefined],
  );
});

test("a batch with more than 100 strings that cannot be stored is refused as a whole with validation_error", async ({ api }) => {
  const items = full((index) => create({ name: "\u0000", email: index > 50 ? "\u0000" : null }));
  assertError(await api.post(BATCH, { items }), "validation_error");
  assert.deepEqual(ids(await api.get(CONTACTS)), []);
});

test("a batch has at most 1 MiB and 50,000 values, and X-Ignored-Fields names unknown fields of items by the same paths as errors", async ({ api }) => {
  const body = (notes: string) =>
    JSON.stringify({ items: [{ ...create({ name: "A", nome: notes }), note: 1 }], extra: 1 });
  const largest = "b".repeat(1024 * 1024 - body("").length);
  const reply = await api.post(BATCH, body(largest));
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.headers.get("X-Ignored-Fields"), "extra, items[0].note, items[0].nome");
  const tooLarge = await api.post(BATCH, body(`${largest}b`));
  assertError(tooLarge, "payload_too_large");
  assert.match(tooLarge.body.error.message, /1024 KiB/);
  const values = (count: number) =>
    `{"items":[{"op":"create","data":{"name":"A","x":[${"0,".repeat(count - 1)}0]}}]}`;
  assert.equal((await api.post(BATCH, values(49_000))).status, 200);
  assertError(await api.post(BATCH, values(50_000)), "validation_error");
});

test("an unexpected error in an item becomes that item's internal_error, and reveals nothing internal", async ({ sql, workspace, api }) => {
  await sql`alter table crm.contacts add constraint broken check (workspace_id <> ${
    sql.unsafe(`'${workspace.id}'`)
  } or name <> 'quebra')`;
  try {
    const reply = await api.post(BATCH, { items: ["A", "quebra", "B"].map((name) => create({ name })) });
    assert.deepEqual(statuses(reply), [201, 500, 201]);
    assert.equal(reply.body.results[1].error.code, "internal_error");
    assert.doesNotMatch(reply.text, /broken|check|constraint/i);
  } finally {
    await sql`alter table crm.contacts drop constraint broken`;
  }
});

test("While Postgres lacks resources, such as disk space, a write and a batch answer service_unavailable (spec 7)", async ({ sql, workspace: { id }, api }) => {
  await sql.unsafe(`
    create function crm.fill_disk() returns trigger language plpgsql as $$
    begin
      if new.workspace_id = '${id}' and new.name = 'Cheio' then raise 'disk is full' using errcode = '53100'; end if;
      return new;
    end $$;
    create trigger fill_disk before insert on crm.contacts for each row execute function crm.fill_disk()`);
  try {
    const reply = await api.post(CONTACTS, { name: "Cheio" });
    assertError(reply, "service_unavailable");
    assert.ok(Number(reply.headers.get("Retry-After")) > 0);
    for (const second of [create({ name: "Cheio" }), create({ email: "x" })]) {
      const items = [create({ name: "Ana" }), second, create({ name: "Cheio" })];
      assertError(await api.post(BATCH, { items }), "service_unavailable");
    }
    assert.deepEqual(ids(await api.get(CONTACTS)), []);
  } finally {
    await sql.unsafe("drop function crm.fill_disk() cascade");
  }
});

for (const path of ["/api-v1-contacts", "/api-v1-companies"]) {
  test(`POST ${path}/batch names the record that has the external_id already, even if an earlier item created it, but no record that was rolled back`, async ({ api }) => {
    const { body: { id } } = await api.post(path, { name: "A", external_id: "before" });
    const items = [
      create({ name: "B", external_id: "same group" }),
      create({ name: "C", external_id: "same group" }),
      create({ name: "D", external_id: "before" }),
      create({ name: "E", external_id: "same group" }),
      ...Array.from({ length: 10 }, (_, index) => create({ name: `F${index}`, external_id: `${index}` })),
      create({ name: "G", external_id: "same group" }),
    ];
    const { body } = await api.post(`${path}/batch`, { items });
    assert.deepEqual(body.summary, { created: 11, updated: 0, failed: 4 });
    const holders = [1, 2, 3, 14].map((index) => body.results[index].error.details[0].id);
    const made = body.results[0].id;
    assert.deepEqual(holders, [made, id, made, made]);

    const reply = await api.post(`${path}/batch`, {
      atomic: true,
      items: [create({ name: "A", external_id: "a" }), create({ name: "B", external_id: "a" })],
    });
    assertError(reply, "batch_failed", ["items[1].external_id"]);
    assert.equal(reply.body.error.details[0].id, undefined);
  });
}
