// An erasure leaves no trace of a person, wherever the person's data was stored.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Sql } from "postgres";
import { startServer } from "../../../bench/harness/functions.ts";
import { operate } from "../../../run/operator/operator.ts";
import { SCOPES } from "../../../supabase/functions/_shared/contract/scopes.ts";
import { client } from "../../support/client.ts";
import { tablesWith } from "../../support/every_column.ts";
import { makeKey } from "../../support/fixtures.ts";
import { indexTexts } from "../../support/jobs.ts";
import { openMailbox } from "../../support/mailbox.ts";
import { customer, makeProposal } from "../../support/proposals.ts";
import { type Body, create } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";
import { dataDir, functionsDatabaseUrl } from "../../support/stack.ts";
import { subscribe } from "../../support/webhooks.ts";

const CONTACTS = "/api-v1-contacts";

/** Makes up a person whose every value can be recognized in any column. */
function makePerson() {
  const mark = `q${crypto.randomUUID().replaceAll("-", "").replaceAll(/\d/g, "z")}`;
  const digits = String(Math.floor(10_000_000 + Math.random() * 89_999_999));
  const email = `zuleica.${mark}@exemplo.com`;
  return {
    first: "Zuleíca",
    last: `Quaresma-${mark}`,
    name: `Zuleíca Quaresma-${mark}`,
    email,
    phone: `+55 (11) 9${digits.slice(0, 4)}-${digits.slice(4)}`,
    /** The search terms: one for names, addresses and texts; two for the phone number, as digits and as typed. */
    traces: [mark, `9${digits}`, `${digits.slice(0, 4)}-${digits.slice(4)}`],
    mark,
  };
}

/** Everything that the functions of these tests and Postgres have logged, in lower case. */
async function logs(readLog: () => Promise<unknown[]>): Promise<string> {
  const postgres = await Deno.readTextFile(join(dataDir, "postgres.log"));
  return (JSON.stringify(await readLog()) + postgres).toLowerCase();
}

function assertNoTrace(text: string, traces: readonly string[]): void {
  for (const trace of traces) assert.ok(!text.toLowerCase().includes(trace), trace);
}

/** A batch whose second item fails, with errors about fields whose names contain the person's name and e-mail. */
const failingBatch = ({ mark, email }: { mark: string; email: string }) => ({
  items: [
    { op: "create", data: { name: "Rui" } },
    {
      op: "create",
      data: { name: "Ana", email: 1, custom_fields: { [email]: "\0", [`Zu ${mark}`]: "\0", cor: "\0" } },
    },
  ],
});

/** A batch that creates nothing and reads one record. */
const reading = (id: unknown) => ({ items: [{ op: "get", id }] });

type Send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Body>;

/** Writes a person's data everywhere that the API and the application accept it. */
async function writeEverywhere(sql: Sql, send: Send, person: ReturnType<typeof makePerson>) {
  const { first, last, name, email, phone, mark } = person;
  const post = (path: string, body: Body, key?: string) =>
    send("POST", path, body, key === undefined ? {} : { "Idempotency-Key": key });
  const { lead } = await post("/api-v1-leads", {
    first_name: first,
    last_name: last,
    email,
    phone,
    company_name: "Padaria Sol",
    external_id: `form ${email}`,
    source: `Indicação de ${name.toUpperCase()}`,
    utm: { source: "google", content: email },
    custom_fields: { telefone: [phone], apelido: `Zu ${mark}`, cor: "azul" },
  }, `lead ${email}`) as { lead: Record<string, string> };
  const { deal_id, contact_id } = lead as { deal_id: string; contact_id: string };
  const other = await post(CONTACTS, {
    name: `Zu ${mark}`,
    email: `${mark}@casa.com`,
    phone: person.phone,
    whatsapp: phone,
    job_title: `Chefe da ${mark}`,
    instagram: `@${mark}`,
    linkedin: `in/${mark}`,
    notes: `A ${mark} prefere e-mail`,
    custom_fields: { cpf: mark },
    external_id: mark,
  }, `contact ${mark}`);
  await send("PATCH", `${CONTACTS}/${contact_id}`, { phone2: phone, notes: mark });
  await post("/api-v1-deals", { contact_id, custom_fields: { quem: mark } }, `deal ${email}`);
  const own = await post("/api-v1-deals", { contact_id: other["id"] }, "a key of its own");
  const note = await post("/api-v1-notes", { deal_id, body: `Falei com ${name}` }, "note of the deal");
  await post("/api-v1-activities", {
    deal_id,
    title: `Ligar para ${name}`,
    description: mark,
    location: `Casa de ${mark}`,
    meeting_url: `https://meet.example.com/${mark}`,
  }, "activity of the deal");
  await post(`${CONTACTS}/upsert?match_by=email`, { email, name, job_title: mark }, "an upsert");
  await post(`${CONTACTS}/batch`, {
    items: [{ op: "update", id: contact_id, data: { whatsapp: phone } }, { op: "create", data: { email } }],
  }, `batch ${mark}`);
  await post(`${CONTACTS}/batch`, failingBatch(person), "a batch with errors");
  for (const [resource, id] of Object.entries({ contacts: contact_id, deals: deal_id, notes: note["id"] })) {
    await post(`/api-v1-${resource}/batch`, reading(id), `a batch that reads ${resource}`);
  }
  await post(`${CONTACTS}/${contact_id}/merge`, { merge_id: other["id"] });
  await post(`/api-v1-deals/${deal_id}/lose`, { loss_note: `${name} achou caro` });
  const proposal = await makeProposal(sql, deal_id, { title: `Plano para ${name}` });
  await customer(proposal.link).reject({ reason: `Ass.: ${name}` });
  return {
    contactId: contact_id,
    otherId: other["id"] as string,
    dealId: deal_id,
    ownDealId: own["id"] as string,
  };
}

test("After an erasure no column of the database contains the person", async ({ sql, workspace }) => {
  await using server = await startServer({ DATABASE_URL: functionsDatabaseUrl });
  const { key } = await makeKey(sql, workspace.id, { scopes: [...SCOPES] });
  const send: Send = async (method, path, body, headers = {}) => {
    const reply = await fetch(server.baseUrl + path, {
      method,
      headers: { "X-API-Key": key, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    assert.ok(reply.ok, text);
    return JSON.parse(text);
  };
  const person = makePerson();
  // The receiver's answers repeat what it gets.
  const failing = openMailbox("status=500&echo");
  const events = ["contact.created", "contact.updated", "lead.received", "contact.erased"];
  await subscribe(workspace.key, failing.url, events);
  const made = await writeEverywhere(sql, send, person);
  await sql`select crm.poke_dispatcher()`;
  await failing.waitFor(3);

  await indexTexts(sql);
  assert.deepEqual(await tablesWith(sql, person.traces), [
    "crm.activities",
    "crm.contacts",
    "crm.deals",
    "crm.idempotency_keys",
    "crm.lead_receipts",
    "crm.notes",
    "crm.proposals",
    "crm.search_texts",
    "crm.webhook_attempts",
  ], "control: before the erasure the search finds the person");

  const erased = await send("POST", `${CONTACTS}/${made.contactId}/erase`, { texts: true });
  assert.deepEqual(erased["texts_naming"], { count: 0, is_minimum: false, records: [] });
  assert.deepEqual(await tablesWith(sql, person.traces), []);
  await indexTexts(sql);
  assert.deepEqual(await tablesWith(sql, person.traces), [], "the job brings nothing back");

  const seen = await Promise.all([
    send("GET", `${CONTACTS}/${made.contactId}`),
    send("GET", `/api-v1-deals/${made.dealId}`),
    send("GET", `/api-v1-deals/${made.ownDealId}`),
    send("GET", "/api-v1-events?limit=200"),
    send("GET", `/api-v1-notes?deal_id=${made.dealId}`),
    // Repeats two calls, which get the stored replies to the first calls.
    send("POST", "/api-v1-deals", { contact_id: made.otherId }, { "Idempotency-Key": "a key of its own" }),
    send("POST", "/api-v1-notes", { deal_id: made.dealId, body: `Falei com ${person.name}` }, {
      "Idempotency-Key": "note of the deal",
    }),
  ]);
  assertNoTrace(JSON.stringify(seen), person.traces);
  const repeated = await send("POST", "/api-v1-deals/batch", reading(made.dealId), {
    "Idempotency-Key": "a batch that reads deals",
  }) as { results: Body[] };
  assert.deepEqual(repeated.results[0]!["record"], seen[1], "a repeated batch shows the deal as it is now");
  const { name, email, mark } = person;
  const again = await send("POST", `${CONTACTS}/upsert?match_by=email`, { email, name, job_title: mark }, {
    "Idempotency-Key": "an upsert",
  });
  assert.deepEqual([again["created"], again["matched_by"], again["differences"]], [false, "email", []]);
  assertNoTrace(await logs(server.readLog), person.traces);

  // Later attempts of the deliveries show the contact as it is now.
  const before = (await failing.messages()).length;
  const [subscription] = await sql<[{ id: string }]>`
    select id from crm.webhook_subscriptions where workspace_id = ${workspace.id}`;
  await sql`
    update crm.webhook_deliveries set next_attempt_at = clock_timestamp() where subscription_id = ${subscription.id}`;
  await sql`select crm.poke_dispatcher()`;
  const later = (await failing.waitFor(before + 3, 30)).slice(before);
  assertNoTrace(JSON.stringify(later.map(({ body }) => body)), person.traces);
});

test("Leads and changes that arrive during the erasure of their contact leave no trace of the person", async ({ sql, workspace }) => {
  const keys = await Promise.all(Array.from({ length: 9 }, () => makeKey(sql, workspace.id)));
  const [api, ...others] = keys.map(({ key }) => client(key));
  for (let round = 0; round < 4; round++) {
    const { email, mark, first } = makePerson();
    const lead = { first_name: first, email };
    const { body: { lead: { contact_id } } } = await api!.post("/api-v1-leads", lead);
    await Promise.all([
      api!.post(`${CONTACTS}/${contact_id}/erase`, { texts: true }),
      ...others.map(async (other, index) => {
        await new Promise((resolve) => setTimeout(resolve, index * 2));
        return index % 2 === 0
          ? await other.post("/api-v1-leads", { ...lead, phone: `1191234567${index}` })
          : await other.patch(`${CONTACTS}/${contact_id}`, { job_title: mark });
      }),
      ...Array.from({ length: 4 }, async (_, index) => {
        await new Promise((resolve) => setTimeout(resolve, index * 4));
        await operate(sql, "job_run", { name: "index-texts" });
      }),
    ]);
    // A lead that arrived before the erasure was erased too. A later lead created another contact.
    const [row] = await sql<[{ contact: string; deals: string; searched: string }]>`
      select
        c::text as contact,
        (select coalesce(string_agg(d::text, ''), '') from crm.deals d where d.contact_id = c.id) as deals,
        (
          select coalesce(string_agg(x.text, ''), '') from crm.search_texts x
          where x.id = c.id or x.id in (select d.id from crm.deals d where d.contact_id = c.id)
        ) as searched
      from crm.contacts c where c.id = ${contact_id}`;
    assertNoTrace(row.contact + row.deals + row.searched, [mark]);
  }
});

test("A lead is erased with the person who sent it even if its deal has another contact by now, and the deal's notes stay", async ({ sql, workspace, api }) => {
  const { first, last, email, phone, traces } = makePerson();
  const lead = { first_name: first, last_name: last, email, phone, external_id: email };
  const { body: { lead: { deal_id, contact_id } } } = await api.post("/api-v1-leads", lead);
  const stays = await create(workspace.key, CONTACTS, { name: "Ana" });
  await api.post(`${CONTACTS}/${stays.id}/merge`, { merge_id: contact_id });
  const other = await create(workspace.key, CONTACTS, { name: "Bia" });
  await api.patch(`/api-v1-deals/${deal_id}`, { contact_id: other.id, loss_note: "Caro" });
  await api.post("/api-v1-notes", { deal_id, body: "Bia ligou" });
  await api.post(`${CONTACTS}/${stays.id}/erase`, { texts: true });
  assert.deepEqual(await tablesWith(sql, traces), []);
  const { body } = await api.get(`/api-v1-notes?deal_id=${deal_id}`);
  assert.equal(body.data[0].body, "Bia ligou");
});

test("After an erasure the stored reply of a batch with errors is replayed without the field names that mention the person", async ({ workspace, api }) => {
  const person = makePerson();
  const send = () =>
    api.post(`${CONTACTS}/batch`, failingBatch(person), { "Idempotency-Key": "a batch with errors" });
  const first = await send();
  assert.equal(first.body.summary.failed, 1, first.text);
  const { id } = await create(workspace.key, CONTACTS, { name: person.name, email: person.email });
  const zu = await create(workspace.key, CONTACTS, { name: `Zu ${person.mark}` });
  await api.post(`${CONTACTS}/${id}/merge`, { merge_id: zu.id });
  await api.post(`${CONTACTS}/${id}/erase`);
  const again = await send();
  assert.equal(again.headers.get("Idempotent-Replayed"), "true");
  assertNoTrace(again.text, person.traces);
  const [made, failed] = first.body.results;
  const fieldsOf = (result: Body) =>
    (result["error"] as { details: { field: string }[] }).details.map(({ field }) => field).sort();
  const kept = ["items[1].custom_fields.cor", "items[1].email"];
  const named = [`Zu ${person.mark}`, person.email].map((name) => `items[1].custom_fields.${name}`);
  const control = "control: before the erasure the reply mentions the person";
  assert.deepEqual(fieldsOf(failed), [...named, ...kept].sort(), control);
  const [madeThen, failedThen] = again.body.results;
  assert.deepEqual([madeThen, again.body.summary], [made, first.body.summary]);
  assert.deepEqual(fieldsOf(failedThen), ["items[1]", "items[1]", ...kept]);
});
