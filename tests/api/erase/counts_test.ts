// After any sequence of calls, an erasure says what it has cleared and which records still name the person.
import assert from "node:assert/strict";
import type { Reply } from "../../support/client.ts";
import { makeDeal } from "../../support/fixtures.ts";
import { indexTexts } from "../../support/jobs.ts";
import { create } from "../../support/record_fixtures.ts";
import { type Scenario, test } from "../../support/scenario.ts";
import { openDatabase } from "../../support/stack.ts";
import { tablesWith } from "../../support/every_column.ts";

const CONTACTS = "/api-v1-contacts";
const NOTES = "/api-v1-notes";

/** A surname that nobody else in the database has; without digits, so that no UUID contains a part of it. */
function surname(): string {
  return `Quaresma${crypto.randomUUID().replaceAll(/[^a-f]/g, "")}zz`;
}

/** The number of cleared records by kind, without zeros. */
function cleared({ body }: Reply): Record<string, number> {
  const counts = Object.entries(body.cleared as Record<string, number>);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

const naming = ({ body }: Reply): [number, boolean] => [
  body.texts_naming.count,
  body.texts_naming.is_minimum,
];

/** Creates a person with a deal, a note and an activity; and another person's note, deal and company that name them. */
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

test("An erasure without texts, then with them, says each time what it cleared and what still names the person", async (scenario) => {
  const { api, sql } = scenario;
  const person = await writePerson(scenario);
  const erase = (texts?: boolean) => api.post(`${CONTACTS}/${person.contact_id}/erase`, { texts });

  const first = await erase();
  assert.deepEqual(cleared(first), { contacts: 1, deals: 1 }, first.text);
  // Six records name the person: three elsewhere, and the person's own deal (in `source`) with its note and activity.
  assert.deepEqual(naming(first), [6, false], first.text);
  const ids = first.body.texts_naming.records.map(({ id }: { id: string }) => id);
  for (const { id } of person.elsewhere) assert.ok(ids.includes(id));
  assert.ok(ids.includes(person.note) && ids.includes(person.deal_id));

  const again = await erase();
  assert.deepEqual([cleared(again), naming(again)], [{}, [6, true]], again.text);
  const texts = await erase(true);
  assert.deepEqual(cleared(texts), { deals: 1, notes: 1, activities: 1, lead_receipts: 1 }, texts.text);
  assert.deepEqual(naming(texts), [3, true], texts.text);
  assert.deepEqual(texts.body.texts_naming.records, person.elsewhere);
  const { body: deal } = await api.get(`/api-v1-deals/${person.deal_id}`);
  assert.deepEqual(
    [deal.title, deal.source, deal.external_id, deal.utm],
    ["Contato apagado", null, null, { source: "google" }],
  );
  assert.deepEqual(cleared(await erase(true)), {});

  // A record whose text was corrected by hand is no longer listed.
  const [company, other, note] = person.elsewhere as unknown as [
    { id: string },
    { id: string },
    { id: string },
  ];
  await api.patch(`/api-v1-companies/${company.id}`, { name: "Padaria" });
  await api.patch(`/api-v1-deals/${other.id}`, { title: "Anual" });
  assert.deepEqual((await erase(true)).body.texts_naming, {
    count: 1,
    is_minimum: true,
    records: [{ object: "note", id: note.id }],
  });
  await sql`update crm.notes set body = 'Ok' where id = ${note.id}`;
  assert.deepEqual(naming(await erase(true)), [0, true]);
  await indexTexts(sql);
  const traces = [person.last.toLowerCase(), person.digits];
  assert.deepEqual(await tablesWith(sql, traces), [], "nothing of the person is left in any table");
});

test("With texts, an erasure clears the external_id of a deal and of its receipt that holds the surname", async ({ sql, workspace, api }) => {
  const last = surname();
  const lead = { first_name: "Zé", last_name: last, external_id: `rd_${last.toUpperCase()}2024` };
  const { body: { lead: { contact_id, deal_id } } } = await api.post("/api-v1-leads", lead);
  // The receipt keeps the external_id that the lead was sent with.
  await api.patch(`/api-v1-deals/${deal_id}`, { external_id: `erp ${last}` });
  await create(workspace.key, "/api-v1-deals", { contact_id, external_id: "erp 7" });
  const reply = await api.post(`${CONTACTS}/${contact_id}/erase`, { texts: true });
  assert.deepEqual(cleared(reply), { contacts: 1, deals: 2, lead_receipts: 1 }, reply.text);
  assert.deepEqual(naming(reply), [0, false]);
  await indexTexts(sql);
  assert.deepEqual(await tablesWith(sql, [last.toLowerCase()]), []);
  const { body } = await api.get(`/api-v1-deals?contact_id=${contact_id}`);
  assert.deepEqual(
    body.data.map(({ external_id }: { external_id: string | null }) => external_id).sort(),
    ["erp 7", null],
    "what names nobody stays",
  );
});

test("A note that is being written while its person is erased is erased with the others", async ({ workspace, api }) => {
  const last = surname();
  const { body: { lead } } = await api.post("/api-v1-leads", { first_name: "Zuleica", last_name: last });
  const seen = await create(workspace.key, NOTES, { deal_id: lead.deal_id, body: "Ok" });
  await using writer = openDatabase();
  let erasing: Promise<Reply> | undefined;
  await writer.begin(async (sql) => {
    await sql`
      insert into crm.notes (workspace_id, deal_id, author_id, body, source)
      select workspace_id, id, owner_id, ${`Zuleica ${last} ligou`}, (select source from crm.notes where id = ${seen.id}) from crm.deals where id = ${lead.deal_id}`;
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

test("After a merge, an erasure clears what both contacts had, and finds both their names elsewhere", async ({ workspace, api, newDeal }) => {
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
