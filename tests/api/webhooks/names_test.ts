import assert from "node:assert/strict";
import { assertError } from "../../support/client.ts";
import { openMailbox } from "../../support/mailbox.ts";
import { makeProposal } from "../../support/proposals.ts";
import { create } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";
import { signIn } from "../../support/sessions.ts";
import { subscribe, WEBHOOKS } from "../../support/webhooks.ts";

interface Named {
  event: string;
  object_id: string;
  object_name: string | null;
}

test("A subscription may have a name of 1 to 80 characters: POST and PATCH set it, null removes it, and replies show it", async ({ sql, workspace, api }) => {
  const { client: gestor } = await signIn(sql, workspace.id, "gestor");
  const target_url = openMailbox().url;
  const event_types = ["deal.won"];
  for (const [people, path] of [[api, WEBHOOKS], [gestor, "/app-v1-webhooks"]] as const) {
    const named = await people.post(path, { event_types, target_url, name: "  ERP " });
    assert.deepEqual([named.status, named.body.name], [201, "ERP"]);
    const { id } = named.body;
    assert.equal((await people.get(`${path}/${id}`)).body.name, "ERP");
    const listed = (await people.get(path)).body.data.find((row: { id: string }) => row.id === id);
    assert.equal(listed.name, "ERP");
    const longest = "ç".repeat(80);
    assert.equal((await people.patch(`${path}/${id}`, { name: longest })).body.name, longest);
    assert.equal((await people.patch(`${path}/${id}`, { event_types: ["deal.lost"] })).body.name, longest);
    for (const wrong of ["", "  ", "ç".repeat(81), 7, ["ERP"]]) {
      assertError(await people.patch(`${path}/${id}`, { name: wrong }), "validation_error", ["name"]);
      const refused = await people.post(path, { event_types, target_url, name: wrong });
      assertError(refused, "validation_error", ["name"]);
    }
    assert.equal((await people.patch(`${path}/${id}`, { name: null })).body.name, null);
    assert.equal((await people.post(path, { event_types, target_url })).body.name, null);
  }
});

test("Lists of deliveries name each event's record as it is now, and no longer after an erasure (spec 6.5)", async ({ sql, workspace, api }) => {
  const { client: gestor } = await signIn(sql, workspace.id, "gestor");
  const { id } = await subscribe(workspace.key, openMailbox().url, [
    "deal.created",
    "contact.created",
    "company.created",
    "activity.created",
    "note.created",
    "proposal.viewed",
    "contact.erased",
  ]);
  const created = async (path: string, body: Record<string, unknown>) =>
    (await create(workspace.key, path, body)).id;
  const deal = await created("/api-v1-deals", { title: "Site" });
  const contact = await created("/api-v1-contacts", { name: "Genoveva" });
  const company = await created("/api-v1-companies", { name: "Sol" });
  const activity = await created("/api-v1-activities", { deal_id: deal, title: "Ligar" });
  const note = await created("/api-v1-notes", { deal_id: deal, body: "Quer prazo" });
  await api.patch(`/api-v1-deals/${deal}`, { title: "Site novo" });
  const proposal = await makeProposal(sql, deal);
  const [{ title }] = await sql<[{ title: string }]>`
    update crm.proposals set status = 'visualizada' where id = ${proposal.id} returning title`;
  await api.post(`${WEBHOOKS}/${id}/test`, { event_type: "deal.created" });

  const namesIn = async (people: { get: typeof api.get }, path: string) => {
    const { body } = await people.get(path);
    return body.data.map(({ event, object_id, object_name }: Named) => [event, object_id, object_name]);
  };
  const expected = (name: string | null) => [
    ["deal.created", "00000000-0000-0000-0000-000000000000", null],
    ["proposal.viewed", proposal.id, title],
    ["note.created", note, "Site novo"],
    ["activity.created", activity, "Ligar"],
    ["company.created", company, "Sol"],
    ["contact.created", contact, name],
    ["deal.created", deal, "Site novo"],
  ];
  const list = `${WEBHOOKS}/${id}/deliveries`;
  const lists = [[api, list], [gestor, `/app-v1-deliveries?subscription_id=${id}`]] as const;
  for (const [people, path] of lists) assert.deepEqual(await namesIn(people, path), expected("Genoveva"));

  const erased = await api.post(`/api-v1-contacts/${contact}/erase`, {});
  assert.equal(erased.status, 200, erased.text);
  for (const [people, path] of lists) {
    assert.deepEqual(await namesIn(people, path), [["contact.erased", contact, null], ...expected(null)]);
  }
});
