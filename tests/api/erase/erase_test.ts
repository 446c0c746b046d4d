// What an erasure replies, replaces and keeps. traces_test.ts searches every column for the person.
import assert from "node:assert/strict";
import { create as createItem } from "../../support/batches.ts";
import { assertError, type Reply } from "../../support/client.ts";
import { tablesWith } from "../../support/every_column.ts";
import { makeDeal } from "../../support/fixtures.ts";
import { indexTexts } from "../../support/jobs.ts";
import { openMailbox } from "../../support/mailbox.ts";
import { create, eventsOf } from "../../support/record_fixtures.ts";
import { type Scenario, test } from "../../support/scenario.ts";
import { openDatabase } from "../../support/stack.ts";
import { subscribe } from "../../support/webhooks.ts";

const CONTACTS = "/api-v1-contacts";
const NOTES = "/api-v1-notes";

/** The number of cleared records by kind, without zeros. */
function cleared({ body }: Reply): Record<string, number> {
  const counts = Object.entries(body.cleared as Record<string, number>);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/** A surname that nobody else has. It is one word without digits, so that no UUID contains it. */
function surname(): string {
  return `Quaresma${crypto.randomUUID().replaceAll(/[^a-f]/g, "")}zz`;
}

const naming = ({ body }: Reply): [number, boolean] => [
  body.texts_naming.count,
  body.texts_naming.is_minimum,
];

/** Creates a person with a deal, note and activity, and other people's company, deal and note that name the person. */
async function writePerson({ workspace: { key }, api }: Scenario) {
  const last = surname();
  const name = `Zuleica ${last}`;
  const digits = String(Math.floor(10_000_000 + Math.random() * 89_999_999));
  const lead = { first_name: "Zuleica", last_name: last, email: `${last}@x.com`, phone: `119${digits}` };
  const { body } = await api.post("/api-v1-leads", {
    ...lead,
    external_id: `form-${last}7`,
    source: `indicação da ${last}`,
    utm: { source: "google", campaign: last },
  });
  const { deal_id, contact_id } = body.lead as { deal_id: string; contact_id: string };
  const note = await create(key, NOTES, { deal_id, body: `${name} ligou` });
  await create(key, "/api-v1-activities", { deal_id, title: "Visita", description: `Ver ${name}` });
  const { id: other } = await makeDeal(key);
  return {
    last,
    name,
    digits,
    deal_id,
    contact_id,
    note: note.id,
    elsewhere: [
      { object: "company", id: (await create(key, "/api-v1-companies", { name: `${name} ME` })).id },
      { object: "deal", id: (await create(key, "/api-v1-deals", { title: `Indicado por ${name}` })).id },
      {
        object: "note",
        id: (await create(key, NOTES, { deal_id: other, body: `Falar com ${name}, 11 9${digits}` })).id,
      },
    ],
  };
}

test("An erasure counts and rewrites only the stored batches that show the person", async ({ workspace: { key }, api }) => {
  const person = await create(key, CONTACTS, { name: "Ana" });
  const other = await create(key, CONTACTS, { name: "Bia" });
  const read = (id: string, idempotencyKey: string) =>
    api.post(`${CONTACTS}/batch`, { items: [{ op: "get", id }] }, { "Idempotency-Key": idempotencyKey });
  const { text } = await read(other.id, "other");
  assert.deepEqual(cleared(await api.post(`${CONTACTS}/${person.id}/erase`)), { contacts: 1 });
  assert.equal((await read(other.id, "other")).text, text);
  const erased = await create(key, CONTACTS, { name: "Caio" });
  await read(erased.id, "own");
  assert.deepEqual(cleared(await api.post(`${CONTACTS}/${erased.id}/erase`)), {
    contacts: 1,
    stored_replies: 1,
  });
});

test("An erasure answers with its time, emits an event with only the id, and does nothing when repeated", async ({ sql, workspace, api }) => {
  const { id } = await create(workspace.key, CONTACTS, { name: "Ana", email: "ana@x.com" });
  const mailbox = openMailbox();
  await subscribe(workspace.key, mailbox.url, ["contact.erased"]);
  const erased = await api.post(`${CONTACTS}/${id}/erase`);
  assert.equal(erased.status, 200);
  assert.deepEqual(cleared(erased), { contacts: 1 });
  assert.deepEqual(erased.body.texts_naming, { count: 0, is_minimum: false, records: [] });
  const again = await api.post(`${CONTACTS}/${id}/erase`, { texts: true });
  assert.deepEqual([again.status, again.body.erased_at, cleared(again)], [200, erased.body.erased_at, {}]);
  assert.deepEqual(again.body.texts_naming, { count: 0, is_minimum: true, records: [] });
  const { name, email, erased_at, archived_at } = (await api.get(`${CONTACTS}/${id}`)).body;
  assert.deepEqual([name, email], ["Contato apagado", null]);
  assert.deepEqual([erased_at, archived_at], Array(2).fill(erased.body.erased_at));
  const [message] = await mailbox.waitFor(1);
  assert.deepEqual(message!.body.data, { id });
  const emitted = await eventsOf(sql, workspace.id);
  assert.deepEqual(emitted, ["contact.created", "contact.erased", "contact.updated"]);
});

test("Without texts, an erasure replaces titles that contain the person's name, phone, e-mail or external_id, in any spelling", async ({ workspace, api }) => {
  const { id: contact_id } = await create(workspace.key, CONTACTS, {
    name: "José D'Ávila",
    email: "ze@casa.com",
    phone: "(11) 91234-5678",
    external_id: "cpf-111",
  });
  const replaced = [
    "JOSE D'AVILA",
    "Plano de josé d´ávila: anual",
    "Ligar 11 91234-5678",
    "Plano CPF-111",
    "x?e=ze%40casa.com",
    "x?n=Jos%C3%A9%20D%27%C3%81vila",
  ];
  const kept = ["Zé Dávila", "Anual", "100% %ff"];
  const items = [...replaced, ...kept].map((title) => createItem({ title, contact_id }));
  const { body: { results } } = await api.post("/api-v1-deals/batch", { items });
  await api.post(`${CONTACTS}/${contact_id}/erase`);
  const { body: { data } } = await api.get("/api-v1-deals");
  const titles = new Map(data.map(({ id, title }: { id: string; title: string }) => [id, title]));
  assert.deepEqual(results.map(({ id }: { id: string }) => titles.get(id)), [
    ...replaced.map(() => "Contato apagado"),
    ...kept,
  ]);
});

test("Without texts, an erasure clears custom fields that name the person, and keeps bodies of notes and descriptions", async ({ workspace, api }) => {
  const contact = await create(workspace.key, CONTACTS, { name: "José D'Ávila", email: "jose@casa.com" });
  const { id: deal_id } = await create(workspace.key, "/api-v1-deals", {
    contact_id: contact.id,
    custom_fields: { a: "jose@casa.com", b: { c: "José\nd'Ávila" }, d: 1 },
  });
  const { body: note } = await api.post("/api-v1-notes", { deal_id, body: "José ligou" });
  const { body: activity } = await api.post("/api-v1-activities", {
    deal_id,
    type: "ligacao",
    title: "José D'Ávila",
    description: "José D'Ávila",
  });
  await api.post(`${CONTACTS}/${contact.id}/erase`);
  assert.deepEqual((await api.get(`/api-v1-deals/${deal_id}`)).body.custom_fields, { d: 1 });
  assert.equal((await api.get(`/api-v1-notes/${note.id}`)).body.body, "José ligou");
  const { body: { title, description } } = await api.get(`/api-v1-activities/${activity.id}`);
  assert.deepEqual([title, description], ["Ligação", "José D'Ávila"]);
});

test("A lead from an erased person creates a new contact, and a new deal for an erased contact is refused", async ({ api }) => {
  const lead = { first_name: "Ana", email: "ana@x.com", phone: "11 91234-5678" };
  const { body: first } = await api.post("/api-v1-leads", lead);
  await api.post(`${CONTACTS}/${first.lead.contact_id}/erase`);
  const { body: second } = await api.post("/api-v1-leads", lead);
  assert.ok(second.created.contact);
  assert.notEqual(second.lead.contact_id, first.lead.contact_id);
  const refused = await api.post("/api-v1-deals", { contact_id: first.lead.contact_id });
  assert.deepEqual(assertError(refused, "invalid_reference"), {
    contact_id: "Contato cujos dados foram apagados",
  });
  const { body: deal } = await api.get(`/api-v1-deals/${first.lead.deal_id}`);
  assert.deepEqual([deal.contact.name, deal.title, deal.lead], ["Contato apagado", "Contato apagado", null]);
});

test("An erased contact can be read and archived, but not changed, restored or merged (spec 7)", async ({ workspace, api }) => {
  const { id } = await create(workspace.key, CONTACTS, { name: "Ana", external_id: "1" });
  const other = await create(workspace.key, CONTACTS, { name: "Bia" });
  await api.post(`${CONTACTS}/${id}/erase`);
  const { body } = await api.get(`${CONTACTS}/${id}`);
  const refused: Promise<Reply>[] = [
    api.patch(`${CONTACTS}/${id}`, { name: "Ana" }),
    api.post(`${CONTACTS}/${id}/restore`),
    api.post(`${CONTACTS}/${id}/merge`, { merge_id: other.id }),
    api.post(`${CONTACTS}/${other.id}/merge`, { merge_id: id }),
  ];
  for (const reply of await Promise.all(refused)) assertError(reply, "record_erased");
  assert.deepEqual((await api.post(`${CONTACTS}/${id}/archive`)).body, body);
  assert.deepEqual((await api.get(`${CONTACTS}/${id}`)).body, body);
  const again = await api.post(CONTACTS, { name: "Ana", external_id: "1" });
  assert.equal(again.status, 201, "its external_id is free");
});

test("An erasure forgets no Idempotency-Key of other people, however short the person's name is", async ({ workspace, api }) => {
  const uuids = Array.from({ length: 20 }, () => crypto.randomUUID());
  const keys = [...uuids, "canada 1", "Ada pede um plano", "beatriz", "a"];
  const send = (key: string) => api.post(CONTACTS, { name: "Rui" }, { "Idempotency-Key": key });
  const first = await Promise.all(keys.map(async (key) => (await send(key)).body.id));
  for (const name of ["A", "Ada", "Bea"]) {
    const { id } = await create(workspace.key, CONTACTS, { name });
    assert.equal((await api.post(`${CONTACTS}/${id}/erase`)).status, 200);
  }
  assert.deepEqual(await Promise.all(keys.map(async (key) => (await send(key)).body.id)), first);

  const own = () => api.post(CONTACTS, { name: "Ada" }, { "Idempotency-Key": "contact Ada" });
  const { body: { id } } = await own();
  await api.post(`${CONTACTS}/${id}/erase`);
  assert.notEqual((await own()).body.id, id, "the Idempotency-Key of the person's own call is forgotten");
});

test("An erasure forgets each Idempotency-Key that mentions the person, however it is spelled", async ({ sql, workspace, api }) => {
  const contact = { name: "Zuléica  Quaresma", email: "z.q@x.com", phone: "+55 (11) 97777-1234" };
  const { id } = await create(workspace.key, CONTACTS, contact);
  const mentions = [
    "Zuleica.Quaresma",
    "pedido ZULEICA -- quaresma 7",
    "zul%C3%A9ica%20quaresma",
    "ZULÉICA Quaresma",
    "lead z_q@X.com",
    "erp:11.9.7777-1234",
    "5511977771234 2",
  ];
  const others = [
    ...["zuleica", "quaresma zuleica", "azuleica quaresma", "7777-1235", "z q x", "ção", "100%"],
    // A key whose %E3 decodes to no UTF-8, and keys that name the person only if two of them are joined.
    ...["a%E3o", "b zuleica", "quaresma b", "c 9777", "71234 c"],
    // More keys than the 200 that an erasure reads at a time.
    ...Array.from({ length: 2500 }, (_, n) => `pedido ${n}`),
  ];
  await sql`
    insert into crm.idempotency_keys (workspace_id, key, request_hash, body)
    select ${workspace.id}, key, '', '{}' from unnest(${[...mentions, ...others]}::text[]) key`;
  await api.post(`${CONTACTS}/${id}/erase`);
  const left = await sql`
    select key from crm.idempotency_keys where workspace_id = ${workspace.id} and request_hash = ''`;
  assert.deepEqual(left.map(({ key }) => key).sort(), others.sort());
});

test("With texts, an erasure replaces titles that contain an old name of the contact", async ({ api }) => {
  const lead = { first_name: "Zuleica", last_name: "Quaresma", email: "z@x.com" };
  const { body: { lead: { deal_id, contact_id } } } = await api.post("/api-v1-leads", lead);
  await api.patch(`/api-v1-deals/${deal_id}`, { title: "Padaria da Zu" });
  await api.patch(`${CONTACTS}/${contact_id}`, { name: "Maria" });
  await api.post(`${CONTACTS}/${contact_id}/erase`, { texts: true });
  assert.equal((await api.get(`/api-v1-deals/${deal_id}`)).body.title, "Contato apagado");
});

test("With texts, an erasure clears source and utm values that contain one word of the person's name, in the person's own deals", async ({ workspace, api }) => {
  const values = {
    source: "indicação de GENOVÉVA",
    utm: { source: "google", campaign: "genoveva", term: "lista_dos_genovevas", content: "da+moura" },
  };
  const eraseWith = async (texts: boolean) => {
    const { body: { lead: { deal_id, contact_id } } } = await api.post("/api-v1-leads", {
      first_name: "Genoveva",
      last_name: "Dos Reis",
      email: `${texts}@exemplo.com`,
      ...values,
    });
    await api.patch(`${CONTACTS}/${contact_id}`, { name: "Genoveva Moura" });
    const other = await create(workspace.key, "/api-v1-deals", { title: "Anual", ...values });
    await api.post(`${CONTACTS}/${contact_id}/erase`, { texts });
    return await Promise.all([deal_id, other.id].map(async (id) => {
      const { body: { source, utm } } = await api.get(`/api-v1-deals/${id}`);
      return { source, utm };
    }));
  };
  assert.deepEqual(await eraseWith(false), [values, values]);
  const cleared = { source: null, utm: { source: "google", term: "lista_dos_genovevas" } };
  assert.deepEqual(await eraseWith(true), [cleared, values]);
});

test("An erasure without texts and then one with texts each say what was cleared and what still names the person", async (scenario) => {
  const { api, sql } = scenario;
  const person = await writePerson(scenario);
  const erase = (texts?: boolean) => api.post(`${CONTACTS}/${person.contact_id}/erase`, { texts });

  const first = await erase();
  assert.deepEqual(cleared(first), { contacts: 1, deals: 1 }, first.text);
  // Six records name the person: three elsewhere, the person's own deal (in `source`), its note and its activity.
  assert.deepEqual(naming(first), [6, false], first.text);
  const ids = first.body.texts_naming.records.map(({ id }: { id: string }) => id);
  for (const { id } of person.elsewhere) assert.ok(ids.includes(id));
  assert.ok(ids.includes(person.note) && ids.includes(person.deal_id));

  const again = await erase();
  assert.deepEqual([cleared(again), naming(again)], [{}, [6, true]], again.text);
  const items = [{ op: "get", id: person.note }];
  const read = () => api.post(`${NOTES}/batch`, { items }, { "Idempotency-Key": "read" });
  assert.equal((await read()).body.results[0].record.body, `${person.name} ligou`);
  const texts = await erase(true);
  const kinds = { deals: 1, notes: 1, activities: 1, lead_receipts: 1, stored_replies: 1 };
  assert.deepEqual(cleared(texts), kinds, texts.text);
  assert.equal((await read()).body.results[0].record.body, "Texto apagado");
  assert.deepEqual(naming(texts), [3, true], texts.text);
  assert.deepEqual(texts.body.texts_naming.records, person.elsewhere);
  const { body: deal } = await api.get(`/api-v1-deals/${person.deal_id}`);
  const { title, source, external_id, utm } = deal;
  assert.deepEqual([title, source, external_id, utm], ["Contato apagado", null, null, { source: "google" }]);
  assert.deepEqual(cleared(await erase(true)), {});

  // A record whose text was corrected by hand is no longer listed.
  const [company, other, note] = person.elsewhere.map(({ id }) => id);
  await api.patch(`/api-v1-companies/${company}`, { name: "Padaria" });
  await api.patch(`/api-v1-deals/${other}`, { title: "Anual" });
  assert.deepEqual((await erase(true)).body.texts_naming, {
    count: 1,
    is_minimum: true,
    records: [{ object: "note", id: note }],
  });
  await sql`update crm.notes set body = 'Ok' where id = ${note!}`;
  assert.deepEqual(naming(await erase(true)), [0, true]);
  await indexTexts(sql);
  const traces = [person.last.toLowerCase(), person.digits];
  assert.deepEqual(await tablesWith(sql, traces), [], "nothing of the person is left in any table");
});

test("With texts, an erasure clears an external_id that contains the surname, in a deal and in the receipt of its lead", async ({ sql, workspace, api }) => {
  const last = surname();
  const lead = { first_name: "Zé", last_name: last, external_id: `rd_${last.toUpperCase()}2024` };
  const { body: { lead: { contact_id, deal_id } } } = await api.post("/api-v1-leads", lead);
  // Changes the deal's external_id; the receipt keeps the lead's.
  await api.patch(`/api-v1-deals/${deal_id}`, { external_id: `erp ${last}` });
  await create(workspace.key, "/api-v1-deals", { contact_id, external_id: "erp 7" });
  const reply = await api.post(`${CONTACTS}/${contact_id}/erase`, { texts: true });
  assert.deepEqual(cleared(reply), { contacts: 1, deals: 2, lead_receipts: 1 }, reply.text);
  assert.deepEqual(naming(reply), [0, false]);
  await indexTexts(sql);
  assert.deepEqual(await tablesWith(sql, [last.toLowerCase()]), []);
  const { body } = await api.get(`/api-v1-deals?contact_id=${contact_id}`);
  const kept = body.data.map((deal: { external_id: string | null }) => deal.external_id).sort();
  assert.deepEqual(kept, ["erp 7", null], "an external_id that names nobody stays");
});

test("A note written during the erasure of its contact is erased too", async ({ workspace, api }) => {
  const last = surname();
  const { body: { lead } } = await api.post("/api-v1-leads", { first_name: "Zuleica", last_name: last });
  const seen = await create(workspace.key, NOTES, { deal_id: lead.deal_id, body: "Ok" });
  await using writer = openDatabase();
  let erasing: Promise<Reply> | undefined;
  await writer.begin(async (sql) => {
    await sql`
      insert into crm.notes (workspace_id, deal_id, author_id, body, source)
      select workspace_id, deal_id, author_id, ${`Zuleica ${last} ligou`}, source from crm.notes where id = ${seen.id}`;
    erasing = api.post(`${CONTACTS}/${lead.contact_id}/erase`, { texts: true });
    await new Promise((resolve) => setTimeout(resolve, 300));
  });
  const reply = await erasing!;
  assert.equal(reply.status, 200, reply.text);
  assert.equal(cleared(reply)["notes"], 2);
  assert.deepEqual(naming(reply), [0, false]);
  const { data } = (await api.get(`${NOTES}?deal_id=${lead.deal_id}`)).body;
  assert.deepEqual(data.map(({ body }: { body: string }) => body), ["Texto apagado", "Texto apagado"]);
});

test("After a merge, an erasure clears the data of both contacts, and finds both names in other records", async ({ workspace, api, newDeal }) => {
  const [one, two] = [surname(), `${surname()}b`];
  const stays = await create(workspace.key, CONTACTS, { name: `Ana ${one}` });
  const merged = await create(workspace.key, CONTACTS, { name: `Ana ${two}` });
  await create(workspace.key, "/api-v1-deals", { contact_id: merged.id, title: `Plano de Ana ${two}` });
  const { id: deal_id } = await newDeal();
  for (const name of [one, two]) await create(workspace.key, NOTES, { deal_id, body: `Ana ${name} indicou` });
  await api.post(`${CONTACTS}/${stays.id}/merge`, { merge_id: merged.id });
  const reply = await api.post(`${CONTACTS}/${stays.id}/erase`);
  assert.deepEqual(cleared(reply), { contacts: 2, deals: 1 }, reply.text);
  assert.deepEqual(naming(reply), [2, false]);
});
