// What merges, erasures and deletions do to the contacts of a deal besides its main contact.
import assert from "node:assert/strict";
import { assertError, client } from "../../support/client.ts";
import { contactEvents, dealWith, shown, test } from "../../support/deal_contacts.ts";
import { makeKey } from "../../support/fixtures.ts";
import { type Body, makeContact } from "../../support/record_fixtures.ts";

const CONTACTS = "/api-v1-contacts";
const DEALS = "/api-v1-deals";

test("A merge replaces the merged contact by the remaining contact in every deal; a deal that has both keeps one, with the remaining contact's role if it has one", async (scenario) => {
  const { api, sql, workspace, path, newContact } = scenario;
  const [kept, other] = [await newContact("Bia Lima"), await newContact("B. Lima")];
  const [both, own, main] = await Promise.all([1, 2, 3].map(() => dealWith(scenario)));
  const { body: { added_at } } = await api.post(path, { contact_id: other, role: "decisor" });
  await api.post(both!.path, { contact_id: other, role: "decisor" });
  await api.post(both!.path, { contact_id: kept });
  await api.post(own!.path, { contact_id: other, role: "decisor" });
  await api.post(own!.path, { contact_id: kept, role: "influenciador" });
  await api.patch(`${DEALS}/${main!.deal.id}`, { contact_id: kept });
  await api.post(main!.path, { contact_id: other, role: "decisor" });
  const before = (await contactEvents(sql, workspace.id)).length;
  assert.equal((await api.post(`${CONTACTS}/${kept}/merge`, { merge_id: other })).status, 200);
  const ana = ["Ana", null, true];
  const listed = await api.get(path);
  assert.deepEqual(shown(listed), [ana, ["Bia Lima", "decisor", false]]);
  assert.deepEqual([listed.body.data[1].contact_id, listed.body.data[1].added_at], [kept, added_at]);
  assert.deepEqual(shown(await api.get(both!.path)), [ana, ["Bia Lima", "decisor", false]]);
  assert.deepEqual(shown(await api.get(own!.path)), [ana, ["Bia Lima", "influenciador", false]]);
  assert.deepEqual(shown(await api.get(main!.path)), [["Bia Lima", "decisor", true]]);
  const events = (await contactEvents(sql, workspace.id)).slice(before);
  const count = (event: Body) => events.filter((one) => JSON.stringify(one) === JSON.stringify(event)).length;
  assert.equal(count({ removed: other }), 4);
  assert.equal(count({ added: kept }), 3, "two rows, and the role of the third");
  assert.equal(events.length, 7);
});

test("Removing a merged contact from a deal is refused, and the error names the remaining contact", async ({ api, path, newContact }) => {
  const [kept, other] = [await newContact("Bia Lima"), await newContact("B. Lima")];
  await api.post(path, { contact_id: other });
  await api.post(`${CONTACTS}/${kept}/merge`, { merge_id: other });
  const refused = await api.delete(`${path}/${other}`);
  assertError(refused, "record_merged");
  assert.ok(refused.text.includes(kept), refused.text);
  assert.equal((await api.get(path)).body.data.length, 2);
  assert.equal((await api.delete(`${path}/${kept}`)).status, 204);
});

test("An erasure removes the contact from the deals in which it is not the main contact, and clears roles that name the person in the deals in which it is", async (scenario) => {
  const { api, sql, workspace, path, newContact } = scenario;
  const genoveva = await newContact("Genoveva Prado");
  await api.post(path, { contact_id: genoveva, role: "decisor" });
  const own = await dealWith(scenario);
  await api.patch(`${DEALS}/${own.deal.id}`, { contact_id: genoveva });
  await api.post(own.path, { contact_id: genoveva, role: "decisor" });
  const [bia, rui] = [await newContact("Bia"), await newContact("Rui")];
  await api.post(own.path, { contact_id: bia, role: "sócia de Genoveva Prado" });
  await api.post(own.path, { contact_id: rui, role: "influenciador" });
  const named = await dealWith(scenario);
  await api.post(named.path, { contact_id: rui, role: "irmão de Genoveva Prado" });
  const before = (await contactEvents(sql, workspace.id)).length;
  const { status, body } = await api.post(`${CONTACTS}/${genoveva}/erase`);
  assert.equal(status, 200);
  assert.equal(body.cleared.deal_contacts, 2);
  // The role in another deal still names the person.
  assert.deepEqual(body.texts_naming.records, [{ object: "deal", id: named.deal.id }]);
  assert.deepEqual(shown(await api.get(path)), [["Ana", null, true]]);
  assert.deepEqual(shown(await api.get(own.path)), [
    ["Contato apagado", null, true],
    ["Bia", null, false],
    ["Rui", "influenciador", false],
  ]);
  const emitted = (await contactEvents(sql, workspace.id)).slice(before);
  assert.deepEqual(emitted, [{ added: bia }, { removed: genoveva }]);
});

test("Simultaneous role changes, merges and removals of the same contacts get no 5xx, and leave one contact in the deal", async (scenario) => {
  const { api, sql, workspace } = scenario;
  for (let round = 0; round < 3; round++) {
    const { deal, path } = await dealWith(scenario);
    const [kept, other] = [await makeContact(sql, workspace), await makeContact(sql, workspace)];
    await api.post(path, { contact_id: other });
    await api.patch(`${DEALS}/${deal.id}`, { contact_id: other });
    const keys = await Promise.all([1, 2, 3, 4].map(() => makeKey(sql, workspace.id)));
    const [one, two, three, four] = keys.map(({ key }) => client(key));
    const replies = await Promise.all([
      one!.post(`${CONTACTS}/${kept}/merge`, { merge_id: other }),
      two!.post(path, { contact_id: other, role: "decisor" }),
      three!.post(path, { contact_id: kept, role: "decisor" }),
      four!.delete(`${path}/${kept}`),
    ]);
    for (const { status, text } of replies) assert.ok(status < 500, text);
    const { body: { data } } = await api.get(path);
    assert.deepEqual(data.map(({ contact_id }: Body) => contact_id), [kept]);
  }
});
