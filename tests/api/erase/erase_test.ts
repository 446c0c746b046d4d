// What an erasure answers, replaces and keeps. traces_test.ts searches every column for the person.
import assert from "node:assert/strict";
import { assertError, type Reply } from "../../support/client.ts";
import { openMailbox } from "../../support/mailbox.ts";
import { create, eventsOf, UNKNOWN_ID } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";
import { subscribe } from "../../support/webhooks.ts";

const CONTACTS = "/api-v1-contacts";

/** The number of cleared records by kind, without zeros. */
function cleared({ body }: Reply): Record<string, number> {
  const counts = Object.entries(body.cleared as Record<string, number>);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

test("An erasure answers with its moment, emits an event with only the id, and does nothing when repeated", async ({ sql, workspace, api }) => {
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
  const { body } = await api.get(`${CONTACTS}/${id}`);
  const { name, email, erased_at, archived_at } = body;
  assert.deepEqual([name, email, erased_at, archived_at], [
    "Contato apagado",
    null,
    erased.body.erased_at,
    erased.body.erased_at,
  ]);
  const [message] = await mailbox.waitFor(1);
  assert.deepEqual(message!.body.data, { id });
  assert.deepEqual(await eventsOf(sql, workspace.id), [
    "contact.created",
    "contact.erased",
    "contact.updated",
  ]);
  assertError(await api.post(`${CONTACTS}/${UNKNOWN_ID}/erase`), "not_found");
});

test("Without texts, an erasure replaces what names the person in titles and short fields, and leaves what was written", async ({ workspace, api }) => {
  const contact = await create(workspace.key, CONTACTS, {
    name: "José D'Ávila",
    email: "jose@casa.com",
    phone: "(11) 91234-5678",
  });
  const deals = await Promise.all(
    ["JOSE D'AVILA", "Plano de josé d´ávila: anual", "Ligar 11 91234-5678", "Zé Dávila", "Anual"].map((
      title,
    ) =>
      create(workspace.key, "/api-v1-deals", {
        title,
        contact_id: contact.id,
        custom_fields: { a: "jose@casa.com", b: { c: "José\nd'Ávila" }, d: 1 },
      })
    ),
  );
  const deal_id = deals[0]!.id;
  const { body: note } = await api.post("/api-v1-notes", { deal_id, body: "José ligou" });
  const { body: activity } = await api.post("/api-v1-activities", {
    deal_id,
    type: "ligacao",
    title: "José D'Ávila",
    description: "José D'Ávila",
  });
  await api.post(`${CONTACTS}/${contact.id}/erase`);
  const titles = await Promise.all(
    deals.map(async ({ id }) => (await api.get(`/api-v1-deals/${id}`)).body.title),
  );
  assert.deepEqual(titles, ["Contato apagado", "Contato apagado", "Contato apagado", "Zé Dávila", "Anual"]);
  const { body: deal } = await api.get(`/api-v1-deals/${deal_id}`);
  assert.deepEqual(deal.custom_fields, { d: 1 });
  assert.equal((await api.get(`/api-v1-notes/${note.id}`)).body.body, "José ligou");
  const { body: { title, description } } = await api.get(`/api-v1-activities/${activity.id}`);
  assert.deepEqual([title, description], ["Ligação", "José D'Ávila"]);
});

test("A lead of an erased person is a new contact, and a new deal of an erased contact is refused", async ({ api }) => {
  const lead = { first_name: "Ana", email: "ana@x.com", phone: "11 91234-5678" };
  const { body: first } = await api.post("/api-v1-leads", lead);
  await api.post(`${CONTACTS}/${first.lead.contact_id}/erase`);
  const { body: second } = await api.post("/api-v1-leads", lead);
  assert.ok(second.created.contact);
  assert.notEqual(second.lead.contact_id, first.lead.contact_id);
  const refused = await api.post("/api-v1-deals", { contact_id: first.lead.contact_id });
  assert.ok("contact_id" in assertError(refused, "invalid_reference"));
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
  assert.equal(
    (await api.post(CONTACTS, { name: "Ana", external_id: "1" })).status,
    201,
    "its external_id is free",
  );
});

test("An erasure forgets no Idempotency-Key of others, however short the name of the person is", async ({ workspace, api }) => {
  const keys = [
    ...Array.from({ length: 20 }, () => crypto.randomUUID()),
    "canada 1",
    "Ada pede um plano",
    "beatriz",
    "a",
  ];
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
  assert.notEqual((await own()).body.id, id, "its own key is forgotten");
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
    // A key that is not UTF-8, and keys that only together contain the person's name and phone number.
    ...["a%E3o", "b zuleica", "quaresma b", "c 9777", "71234 c"],
    // More keys than the 1,000 that are searched at a time.
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

test("With texts, an erasure replaces titles that have an old name of the contact", async ({ api }) => {
  const lead = { first_name: "Zuleica", last_name: "Quaresma", email: "z@x.com" };
  const { body: { lead: { deal_id, contact_id } } } = await api.post("/api-v1-leads", lead);
  await api.patch(`/api-v1-deals/${deal_id}`, { title: "Padaria da Zu" });
  await api.patch(`${CONTACTS}/${contact_id}`, { name: "Maria" });
  await api.post(`${CONTACTS}/${contact_id}/erase`, { texts: true });
  assert.equal((await api.get(`/api-v1-deals/${deal_id}`)).body.title, "Contato apagado");
});

test("With texts, an erasure clears a source and utm values of the person's own deals that have a single name of it", async ({ workspace, api }) => {
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

test("An erasure finds the person by the contact's own external_id, and in addresses that are URL-encoded", async ({ workspace, api }) => {
  const contact = await create(workspace.key, CONTACTS, {
    name: "Zuleíca",
    email: "ze@casa.com",
    external_id: "cpf-111",
  });
  const deals = await Promise.all(
    ["Plano CPF-111", "x?e=ze%40casa.com", "x?n=Zule%C3%ADca", "100% %ff"].map((title) =>
      create(workspace.key, "/api-v1-deals", { title, contact_id: contact.id })
    ),
  );
  await api.post(`${CONTACTS}/${contact.id}/erase`);
  const titles = await Promise.all(
    deals.map(async ({ id }) => (await api.get(`/api-v1-deals/${id}`)).body.title),
  );
  assert.deepEqual(titles, ["Contato apagado", "Contato apagado", "Contato apagado", "100% %ff"]);
});
