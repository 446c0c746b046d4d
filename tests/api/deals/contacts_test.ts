// The contacts of a deal besides its main contact, with their roles.
import assert from "node:assert/strict";
import { assertError, client, type Reply } from "../../support/client.ts";
import { readUntil } from "../../support/feed.ts";
import { makeContacts } from "../../support/feed_rows.ts";
import { makeKey } from "../../support/fixtures.ts";
import { contactEvents, dealWith, shown, test } from "../../support/deal_contacts.ts";
import { type Body, create, UNKNOWN_ID } from "../../support/record_fixtures.ts";

const CONTACTS = "/api-v1-contacts";
const DEALS = "/api-v1-deals";

test("A deal lists its main contact first, then the others in the order in which they were added", async ({ api, deal, path, newContact }) => {
  assert.deepEqual((await api.get(path)).body, {
    data: [{ contact_id: deal.contactId, name: "Ana", role: null, is_main: true, added_at: null }],
  });
  // Created in a different order than they are added below.
  const [bia, carlos] = [await newContact("Bia"), await newContact("Carlos")];
  const added = await api.post(path, { contact_id: carlos, role: " decisor " });
  assert.equal(added.status, 201);
  assert.match(added.body.added_at, /^\d{4}-.*\.\d{3}Z$/);
  assert.deepEqual(added.body, {
    contact_id: carlos,
    name: "Carlos",
    role: "decisor",
    is_main: false,
    added_at: added.body.added_at,
  });
  assert.equal(added.headers.has("Location"), false, "it has no address of its own");
  assert.equal((await api.post(path, { contact_id: bia })).status, 201);
  const listed = await api.get(path);
  assert.deepEqual(shown(listed), [["Ana", null, true], ["Carlos", "decisor", false], ["Bia", null, false]]);
  assert.deepEqual(listed.body.data[1], added.body);
  const { body: detail } = await api.get(`${DEALS}/${deal.id}?expand=contacts,owner`);
  assert.deepEqual(detail.contacts, listed.body.data);
  assert.ok(detail.owner.name);
  assert.equal("contacts" in (await api.get(`${DEALS}/${deal.id}`)).body, false);
  assertError(await api.get(`${DEALS}?expand=contacts`), "validation_error", ["expand"]);
});

test("Adding a contact again answers 200 and changes its role if one is sent, DELETE removes it, and only changes emit an event", async ({ api, sql, workspace, path, newContact }) => {
  const contact_id = await newContact("Bia");
  const { body: first } = await api.post(path, { contact_id, role: "decisor" });
  for (const body of [{ contact_id, role: "decisor" }, { contact_id }]) {
    const again = await api.post(path, body);
    assert.deepEqual([again.status, again.body], [200, first]);
  }
  const changed = await api.post(path, { contact_id, role: "influenciador" });
  assert.deepEqual([changed.status, changed.body], [200, { ...first, role: "influenciador" }]);
  assert.equal((await api.post(path, { contact_id, role: null })).body.role, null);
  const added = Array(3).fill({ added: contact_id });
  assert.deepEqual(await contactEvents(sql, workspace.id), added);
  for (let times = 1; times <= 2; times++) {
    const removed = await api.delete(`${path}/${contact_id}`);
    assert.deepEqual([removed.status, removed.text], [204, ""]);
    assert.deepEqual(shown(await api.get(path)), [["Ana", null, true]]);
  }
  assert.deepEqual(await contactEvents(sql, workspace.id), [...added, { removed: contact_id }]);
});

test("The main contact can have a role, and cannot be removed: the error names the call that replaces it", async (scenario) => {
  const { api, deal, path, newContact } = scenario;
  const main = await api.post(path, { contact_id: deal.contactId });
  assert.deepEqual([main.status, main.body.added_at], [200, null], "without a role there is nothing to keep");
  const role = await api.post(path, { contact_id: deal.contactId, role: "decisor" });
  assert.deepEqual([role.status, role.body.is_main, role.body.role], [200, true, "decisor"]);
  const details = assertError(await api.delete(`${path}/${deal.contactId}`), "validation_error");
  assert.deepEqual(details, {
    contact_id: `É o contato principal; para trocá-lo, envie outro contact_id a PATCH ${DEALS}/${deal.id}`,
  });
  // A main contact with a role stays in the deal when it is replaced; the new main contact keeps its own role.
  const bia = await newContact("Bia");
  await api.post(path, { contact_id: bia, role: "influenciador" });
  await api.patch(`${DEALS}/${deal.id}`, { contact_id: bia });
  assert.deepEqual(shown(await api.get(path)), [["Bia", "influenciador", true], ["Ana", "decisor", false]]);
  assert.equal((await api.delete(`${path}/${deal.contactId}`)).status, 204);
  // A main contact without a role leaves the deal when it is replaced.
  const carlos = await newContact("Carlos");
  const other = await dealWith(scenario);
  await api.patch(`${DEALS}/${other.deal.id}`, { contact_id: carlos });
  assert.deepEqual(shown(await api.get(other.path)), [["Carlos", null, true]]);
});

test("A deal can have contacts without a main contact, even if the deal is closed or archived, or the contacts are archived", async ({ api, sql, workspace, newContact }) => {
  const contact_id = await newContact("Bia");
  await api.post(`${CONTACTS}/${contact_id}/archive`);
  const deal = await create(workspace.key, DEALS, { title: "Plano" });
  const path = `${DEALS}/${deal.id}/contacts`;
  assert.deepEqual((await api.get(path)).body, { data: [] });
  await api.post(`${DEALS}/${deal.id}/win`);
  await api.post(`${DEALS}/${deal.id}/archive`);
  assert.equal((await api.post(path, { contact_id })).status, 201);
  assert.deepEqual(shown(await api.get(path)), [["Bia", null, false]]);
  const { key } = await makeKey(sql, workspace.id, { scopes: ["deals:read"] });
  assert.deepEqual(shown(await client(key).get(path)), [[null, null, false]], "without contacts:read");
  const { body } = await client(key).get(`${DEALS}/${deal.id}?expand=contacts`);
  assert.deepEqual(shown({ body: { data: body.contacts } } as Reply), [[null, null, false]]);
});

test("An error names the contact if it is unknown, merged or erased, and the role if it is empty or too long", async ({ api, deal, path, newContact }) => {
  assertError(await api.post(path, {}), "validation_error", ["contact_id"]);
  assertError(await api.post(path, { contact_id: "x" }), "validation_error", ["contact_id"]);
  assertError(await api.post(path, { contact_id: UNKNOWN_ID }), "invalid_reference", ["contact_id"]);
  const wrong = await api.post(path, { contact_id: deal.id });
  assert.match(assertError(wrong, "invalid_reference")["contact_id"]!, /Este id é de um negócio/);
  const contact_id = await newContact("Bia");
  for (const role of ["", "  ", "x".repeat(61), 1]) {
    assertError(await api.post(path, { contact_id, role }), "validation_error", ["role"]);
  }
  const { status, body } = await api.post(path, { contact_id, role: "😀".repeat(60) });
  assert.deepEqual([status, body.role], [201, "😀".repeat(60)]);
  const kept = await newContact("Bia Lima");
  await api.post(`${CONTACTS}/${kept}/merge`, { merge_id: await newContact("B. Lima") });
  const merged = await newContact("Bia L.");
  await api.post(`${CONTACTS}/${kept}/merge`, { merge_id: merged });
  const refused = await api.post(path, { contact_id: merged });
  assertError(refused, "invalid_reference", ["contact_id"]);
  assert.equal(refused.body.error.details[0].id, kept);
  const erased = await newContact("Rui");
  await api.post(`${CONTACTS}/${erased}/erase`);
  assertError(await api.post(path, { contact_id: erased }), "invalid_reference", ["contact_id"]);
});

test("A deal has at most 50 contacts besides its main contact, even when they are added at once", async ({ api, sql, workspace, deal, path, newContact }) => {
  await sql`
    insert into crm.deal_contacts (workspace_id, deal_id, contact_id)
    select ${workspace.id}, ${deal.id}, unnest(${await makeContacts(sql, workspace, 48)}::uuid[])`;
  const more = await Promise.all(["A", "B", "C", "D"].map(newContact));
  const keys = await Promise.all(more.map(() => makeKey(sql, workspace.id)));
  const replies = await Promise.all(
    more.map((contact_id, index) => client(keys[index]!.key).post(path, { contact_id })),
  );
  assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 201, 422, 422]);
  const refused = replies.find(({ status }) => status === 422)!;
  const details = assertError(refused, "validation_error");
  assert.match(details["contact_id"]!, /já tem 50 contatos além do principal/);
  const { body: { data } } = await api.get(path);
  assert.equal(data.length, 51);
  // A contact that is there already can still get a role.
  assert.equal((await api.post(path, { contact_id: data[50].contact_id, role: "decisor" })).status, 200);
  // A main contact with a role takes none of the 50 places of the other contacts.
  assert.equal((await api.post(path, { contact_id: deal.contactId, role: "usuário" })).status, 200);
  assert.equal((await api.delete(`${path}/${data[50].contact_id}`)).status, 204);
  const last = more[replies.indexOf(refused)];
  assert.equal((await api.post(path, { contact_id: last })).status, 201);
});

test("Adding a contact ends a deal's inactivity, and changes neither its version nor its updated_at", async ({ api, sql, deal, path, newContact }) => {
  const read = () => api.get(`${DEALS}/${deal.id}`);
  const before = await read();
  const inactive = async () => (await api.get(`${DEALS}?inactive_since=2026-01-01`)).body.data.length;
  await sql`update crm.deals set moved_at = '2025-12-01' where id = ${deal.id}`;
  assert.equal(await inactive(), 1);
  await api.post(path, { contact_id: await newContact("Bia") });
  assert.equal(await inactive(), 0);
  const after = await read();
  assert.deepEqual([after.text, after.headers.get("ETag")], [before.text, before.headers.get("ETag")]);
});

test("In the feed, an event about a deal's contact shows the contact's current role; the change log and its summary name the change", async ({ api, sql, deal, path, newContact }) => {
  const contact_id = await newContact("Bia");
  await api.post(path, { contact_id, role: "decisor" });
  const feed = async (type: string) =>
    (await readUntil(api, 1, { event_types: type, object_id: deal.id })).events[0]!;
  const { body: detail } = await api.get(`${DEALS}/${deal.id}`);
  const added = await feed("deal.contact_added");
  assert.deepEqual([added.data.added_contact_id, added.data.role], [contact_id, "decisor"]);
  assert.equal(added.data.contact_id, deal.contactId, "the main contact is the deal's own field");
  assert.equal(added.data.title, detail.title);
  await api.delete(`${path}/${contact_id}`);
  const removed = await feed("deal.contact_removed");
  assert.equal(removed.data.removed_contact_id, contact_id);
  assert.equal("role" in removed.data, false);
  const later = await feed("deal.contact_added");
  assert.equal(later.data.role, null, "the contact has no role there any more");
  const facts =
    await sql`select facts from crm.events where object_id = ${deal.id} and facts::text like '%decisor%'`;
  assert.deepEqual([...facts], [], "an event stores no role, which could name a person");
  const { body: { data: changes } } = await api.get(`/api-v1-changes?object_id=${deal.id}`);
  assert.deepEqual(changes.slice(0, 2).map(({ action }: Body) => action), [
    "deal.contact_removed",
    "deal.contact_added",
  ]);
  const { body: { counts } } = await api.get("/api-v1-changes/summary");
  for (const action of ["deal.contact_added", "deal.contact_removed"]) {
    assert.ok(counts.some((one: Body) => one["action"] === action && one["count"] === 1), action);
  }
});

test("A contact's timeline has the deals to which it was added besides the main contact", async ({ api, deal, path, newContact }) => {
  const contact_id = await newContact("Bia");
  const timeline = async () =>
    (await api.get(`${CONTACTS}/${contact_id}/timeline`)).body.data.map(({ type }: Body) => type);
  await api.post("/api-v1-notes", { deal_id: deal.id, body: "Ligou" });
  assert.deepEqual(await timeline(), []);
  await api.post(path, { contact_id });
  assert.deepEqual(await timeline(), ["note", "deal"]);
  await api.patch(`${DEALS}/${deal.id}`, { contact_id });
  assert.deepEqual(await timeline(), ["note", "deal"], "once, although it is the main contact as well");
  assert.deepEqual((await api.get(`${DEALS}?contact_id=${deal.contactId}`)).body.data, []);
});
