// POST …/upsert: updates the matching record, as PATCH does, or creates a record, as POST does.
import assert from "node:assert/strict";
import { records } from "../../../tools/records/records.ts";
import type { CrmRecord } from "../../../supabase/functions/_shared/contract/record.ts";
import { assertError, client } from "../../support/client.ts";
import { makeKey, makeWorkspace } from "../../support/fixtures.ts";
import { assertAlike, eventsOf, ids, makeCompany, UNKNOWN_ID } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";

const CONTACTS = "/api-v1-contacts";
const COMPANIES = "/api-v1-companies";
const DEALS = "/api-v1-deals";
const AT_ONCE = 10;

/** Two spellings of one value, for each field that an upsert matches by. */
const SPELLINGS: Record<string, [string, string]> = {
  external_id: ["erp-1", "erp-1"],
  email: ["ana@x.com.br", " Ana@X.com.br"],
  phone: ["(11) 97777-1234", "+55 11 97777 1234"],
  tax_id: ["12.abc.345/01de-35", "12ABC34501DE35"],
  domain: ["padaria.com.br", " Padaria.com.br "],
};

interface Case {
  record: CrmRecord;
  path: string;
  by: string;
  /** The address of the upsert. */
  upsert: string;
  /** The smallest body that creates a record, without the matched field. */
  minimal: Record<string, string>;
  /** Two spellings of the field's value. */
  spellings: [string, string];
}

const cases: Case[] = records.filter(({ about }) => about.upsert).flatMap((record) => {
  const path = `/api-v1-${record.about.table}`;
  return record.about.upsert!.by.map((by) => ({
    record,
    path,
    by,
    upsert: `${path}/upsert?match_by=${by}`,
    minimal: record.name === "deal" ? { title: "Ana" } : { name: "Ana" },
    spellings: SPELLINGS[by]!,
  }));
});

/** A body with the text in a field by which no upsert matches. */
const note = ({ record }: Case, text: string) =>
  record.name === "deal" ? { source: text } : { instagram: text };

Deno.test("Contacts are upserted by external_id, email or phone, companies by external_id, tax_id or domain, deals by external_id", () => {
  assert.deepEqual(cases.map(({ path, by }) => `${path} ${by}`), [
    "/api-v1-companies external_id",
    "/api-v1-companies tax_id",
    "/api-v1-companies domain",
    "/api-v1-contacts external_id",
    "/api-v1-contacts email",
    "/api-v1-contacts phone",
    "/api-v1-deals external_id",
  ]);
});

for (const one of cases) {
  const { record, path, by, upsert, minimal, spellings: [value, other] } = one;
  const title = `POST ${upsert}`;

  test(`${title} creates with 201, Location and the whole record, then changes it as PATCH does with 200`, async ({ sql, workspace: { id }, api }) => {
    // The upsert must not find the record of another workspace.
    const { key } = await makeWorkspace(sql);
    assert.equal((await client(key).post(upsert, { ...minimal, [by]: value })).status, 201);
    const created = await api.post(upsert, { ...minimal, [by]: value, ...note(one, "um") });
    assert.equal(created.status, 201, created.text);
    const address = `${path}/${created.body.id}`;
    assert.ok(created.headers.get("Location")!.endsWith(address));
    const { created: isNew, matched_by, differences, ...made } = created.body;
    assert.deepEqual([isNew, matched_by, differences], [true, null, []]);
    const read = await api.get(address);
    for (const [name, shown] of Object.entries(made)) assert.deepEqual(read.body[name], shown, name);
    if (path !== DEALS) assert.equal(created.headers.get("ETag"), read.headers.get("ETag"));

    const again = await api.post(upsert, { [by]: other, ...note(one, "dois"), custom_fields: { a: 1 } });
    assert.equal(again.status, 200, again.text);
    assert.equal(again.headers.get("Location"), null);
    const stored = by === "phone" ? { phone: other } : {};
    const changes = { ...stored, ...note(one, "dois"), custom_fields: { a: 1 } };
    const about = { created: false, matched_by: by, differences: [], updated_at: again.body.updated_at };
    assert.deepEqual(again.body, { ...made, ...changes, ...about });
    assert.ok(again.body.updated_at > made.updated_at);
    assert.deepEqual(await eventsOf(sql, id), [`${record.name}.created`, `${record.name}.updated`]);

    const cleared = await api.post(upsert, { [by]: other, custom_fields: null });
    assert.equal(cleared.body.custom_fields, null);
    const same = await api.post(upsert, { [by]: other, custom_fields: null });
    assert.deepEqual([same.status, same.body], [200, cleared.body], "nothing changes, not even updated_at");
    assert.equal(ids(await api.get(path)).length, 1);
  });

  test(`${title} requires only the matched field, and to create a record also what POST requires`, async ({ api }) => {
    const [field] = Object.keys(minimal) as [string];
    assertError(await api.post(upsert, { [by]: value }), "validation_error", [field]);
    await api.post(path, { ...minimal, [by]: value });
    assert.equal((await api.post(upsert, { [by]: value })).status, 200);
    for (const nothing of [{}, { [by]: null }]) {
      assertError(await api.post(upsert, { ...minimal, ...nothing }), "validation_error", [by]);
    }
    const nulled = await api.post(upsert, { [by]: value, [field]: null });
    assertError(nulled, "validation_error", [field]);
  });

  test(`of ${AT_ONCE} simultaneous calls ${title} one creates a record, and the others find it`, async ({ sql, workspace }) => {
    const keys = await Promise.all(Array.from({ length: AT_ONCE }, () => makeKey(sql, workspace.id)));
    const replies = await Promise.all(
      keys.map(({ key }, index) => client(key).post(upsert, { ...minimal, [by]: index % 2 ? value : other })),
    );
    assert.equal(replies.filter(({ status }) => status === 201).length, 1);
    assert.equal(replies.filter(({ status }) => status === 200).length, AT_ONCE - 1);
    assert.equal(new Set(replies.map(({ body }) => body.id)).size, 1);
  });

  test(`${title} with the same Idempotency-Key replays reply and headers; another match_by or path is refused`, async ({ sql, workspace: { id }, api }) => {
    const body = { ...minimal, [by]: value };
    const send = (address: string, key: string, more: object = {}) =>
      api.post(address, { ...body, ...more }, { "Idempotency-Key": key });
    for (const [key, more, status] of [["creates", {}, 201], ["finds", { x: 1 }, 200]] as const) {
      const original = await send(upsert, key, more);
      const events = await eventsOf(sql, id);
      const replay = await send(upsert, key, more);
      assert.deepEqual([original.status, replay.status, replay.text], [status, 200, original.text]);
      assert.equal(replay.headers.get("Idempotent-Replayed"), "true");
      assert.deepEqual(await eventsOf(sql, id), events);
      assert.equal(original.headers.has("Location"), key === "creates", "only a creation has a Location");
      for (const name of ["Location", "X-Ignored-Fields"]) {
        assert.equal(replay.headers.get(name), original.headers.get(name), `${key}: ${name}`);
      }
    }
    assertError(await send(path, "creates"), "idempotency_conflict");
    for (const name of record.about.upsert!.by.filter((name) => name !== by)) {
      const reply = await send(`${path}/upsert?match_by=${name}`, "creates", { [name]: SPELLINGS[name]![0] });
      assertError(reply, "idempotency_conflict");
    }
  });
}

for (const one of cases.filter(({ record, by }) => by !== "external_id" || record.name === "deal")) {
  const { path, by, upsert, minimal, spellings: [value, other] } = one;

  test(`an upsert ${upsert} that finds several records answers ambiguous_match with the id of each, and changes none (spec 7)`, async ({ sql, workspace: { id }, api }) => {
    const made: string[] = [];
    for (const spelling of [value, other, value]) {
      made.push((await api.post(path, { ...minimal, [by]: spelling })).body.id);
    }
    const events = await eventsOf(sql, id);
    const reply = await api.post(upsert, { ...minimal, [by]: other, ...note(one, "um") });
    assertError(reply, "ambiguous_match");
    const details: { field: string; id: string }[] = reply.body.error.details;
    assert.ok(details.every(({ field }) => field === by));
    assert.deepEqual(details.map(({ id }) => id).sort(), made.sort());
    assert.deepEqual(await eventsOf(sql, id), events);
  });
}

for (const one of cases.filter(({ record }) => record.name !== "deal")) {
  const { record, path, by, upsert, minimal, spellings: [value] } = one;

  test(`POST ${upsert} finds ${by === "external_id" ? "archived records too" : "only active records"}`, async ({ sql, api }) => {
    const { body } = await api.post(path, { ...minimal, [by]: value });
    await sql`update ${sql(`crm.${record.about.table}`)} set archived_at = now() where id = ${body.id}`;
    const reply = await api.post(upsert, { ...minimal, [by]: value });
    assert.equal(reply.status, by === "external_id" ? 200 : 201, reply.text);
    assert.equal(reply.body.id === body.id, by === "external_id");
  });
}

test("an upsert names match_by if it is missing, unknown, repeated, or not a field of that resource", async ({ api }) => {
  for (
    const [path, query] of [
      [CONTACTS, ""],
      [CONTACTS, "?match_by="],
      [CONTACTS, "?match_by=name"],
      [CONTACTS, "?match_by=tax_id"],
      [COMPANIES, "?match_by=email"],
      [DEALS, "?match_by=title"],
      [CONTACTS, "?match_by=email&match_by=phone"],
    ]
  ) {
    assertError(await api.post(`${path}/upsert${query}`, { name: "A" }), "validation_error", ["match_by"]);
  }
});

test("an upsert of a contact by a phone without digits names the phone", async ({ api }) => {
  const reply = await api.post(`${CONTACTS}/upsert?match_by=phone`, { name: "A", phone: "ramal" });
  assertError(reply, "validation_error", ["phone"]);
});

test("an upsert refuses references outside the workspace, whether it creates or updates, and writes nothing", async ({ sql, api }) => {
  const theirs = await makeCompany(sql, await makeWorkspace(sql));
  const send = (company_id: string) =>
    api.post(`${CONTACTS}/upsert?match_by=email`, { name: "A", email: "a@x.com", company_id });
  for (let round = 0; round < 2; round++) {
    const unknown = await send(UNKNOWN_ID);
    assertError(unknown, "invalid_reference", ["company_id"]);
    assertAlike(await send(theirs), unknown);
    assert.equal(ids(await api.get(CONTACTS)).length, round);
    await api.post(CONTACTS, { name: "A", email: "a@x.com" });
  }
});

test("an upsert of a deal follows the rules of POST and PATCH: its stage must exist, and a closed deal stays closed", async ({ workspace: { stages }, api }) => {
  const upsert = `${DEALS}/upsert?match_by=external_id`;
  const stage_id = stages[1].id;
  const created = await api.post(upsert, { external_id: "p", title: "Venda", stage_id, value: 10 });
  assert.deepEqual([created.status, created.body.stage_id], [201, stage_id]);
  await api.post(`${DEALS}/${created.body.id}/win`);
  const again = await api.post(upsert, { external_id: "p", value: 20, status: "aberto" });
  assert.deepEqual([again.body.status, again.body.value], ["ganho", 20]);
  assert.equal(again.headers.get("X-Ignored-Fields"), "status", "neither an upsert nor POST takes a status");
  assertError(await api.post(upsert, { external_id: "p", stage_id: UNKNOWN_ID }), "invalid_reference");
});

/** A value by which a lead and an upsert both look for a contact. */
const WITH_LEADS = { email: "a@x.com", phone: "+55 11 97777-1234" };

for (const [by, value] of Object.entries(WITH_LEADS)) {
  test(`upserts by ${by} and leads with the same ${by} make one contact, whichever comes first`, async ({ sql, workspace: { id }, api }) => {
    const keys = await Promise.all(Array.from({ length: AT_ONCE }, () => makeKey(sql, id)));
    const replies = await Promise.all(keys.map(({ key }, index) => {
      const { post } = client(key);
      return index % 3 === 0
        ? post("/api-v1-leads", { first_name: "Ana", [by]: value })
        : post(`${CONTACTS}/upsert?match_by=${by}`, { name: "Ana", [by]: value });
    }));
    for (const { status, text } of replies) assert.ok(status === 200 || status === 201, text);
    assert.equal(ids(await api.get(CONTACTS)).length, 1);
  });
}
