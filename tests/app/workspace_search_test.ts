// What the search of the console finds: keys, webhooks and records by words, and anything by its id.
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { assertError, client } from "../support/client.ts";
import { makeKey, makeWorkspace } from "../support/fixtures.ts";
import { openMailbox } from "../support/mailbox.ts";
import { create, UNKNOWN_ID } from "../support/record_fixtures.ts";
import { test } from "../support/scenario.ts";
import { signIn } from "../support/sessions.ts";
import { subscribe, waitForDelivery } from "../support/webhooks.ts";

const SEARCH = "/app-v1-workspace/search";

interface Found {
  type: string;
  id: string;
  name: string;
  detail: string | null;
  parent_id: string | null;
}

/** Returns a function that searches as a new member with this role. */
async function searcher(sql: Sql, workspaceId: string, role: "admin" | "vendedor" = "vendedor") {
  const { client: member } = await signIn(sql, workspaceId, role);
  return async (q: string): Promise<Found[]> =>
    (await member.get(`${SEARCH}?${new URLSearchParams({ q })}`)).body.data;
}

const shown = (found: Found[]) => found.map(({ type, id, detail }) => [type, id, detail]);

/** Makes a key with that name; returns its id and its prefix. */
async function makeNamedKey(sql: Sql, workspaceId: string, name: string) {
  const { id, key } = await makeKey(sql, workspaceId);
  await sql`update crm.api_keys set name = ${name} where id = ${id}`;
  return { id, prefix: key.slice(0, 12) };
}

test("The console's search finds keys, webhooks, deals, contacts and companies by words, and nothing of another workspace", async ({ sql, workspace: { id, key }, api }) => {
  const other = await makeWorkspace(sql);
  await makeNamedKey(sql, other.id, "Padaria");
  await create(other.key, "/api-v1-companies", { name: "Padaria" });
  await create(other.key, "/api-v1-contacts", { name: "Padaria" });
  await create(other.key, "/api-v1-deals", { title: "Padaria" });
  const theirs = await subscribe(other.key, openMailbox().url, ["deal.won"]);
  await client(other.key).patch(`/api-v1-webhooks/${theirs.id}`, { name: "Padaria" });

  const { id: keyId, prefix } = await makeNamedKey(sql, id, "Site da PADÁRIA");
  const mailbox = openMailbox();
  const webhook = await subscribe(key, mailbox.url, ["deal.won"]);
  await api.patch(`/api-v1-webhooks/${webhook.id}`, { name: "ERP da padaria" });
  const company = await create(key, "/api-v1-companies", { name: "Padaria Sol" });
  const contact = await create(key, "/api-v1-contacts", { name: "Rui", email: "rui@padaria.example" });
  const ana = await create(key, "/api-v1-contacts", { name: "Ana", company_id: company.id });
  const deal = await create(key, "/api-v1-deals", { title: "Site novo", company_id: company.id });

  const search = await searcher(sql, id);
  assert.deepEqual(shown(await search(" padária ")), [
    ["key", keyId, prefix],
    ["webhook", webhook.id, mailbox.url],
    ["deal", deal.id, "Padaria Sol"],
    ["contact", contact.id, "rui@padaria.example"],
    ["contact", ana.id, "Padaria Sol"],
    ["company", company.id, null],
  ]);
  assert.deepEqual(shown(await search(prefix.slice(0, 8).toUpperCase())), [["key", keyId, prefix]]);
  assert.deepEqual(shown(await search("padaria site")), [["key", keyId, prefix]]);
  assert.deepEqual(shown(await search(mailbox.url)), [["webhook", webhook.id, mailbox.url]]);
  assert.deepEqual(await search("inexistente"), []);
  const { url } = openMailbox();
  const unnamed = await subscribe(key, url, ["deal.won"]);
  assert.deepEqual((await search(url)).map(({ id, name }) => [id, name]), [[unnamed.id, url]]);
});

test("The console's search shows five of each type, an equal name first, then names that begin with the words", async ({ sql, workspace: { id } }) => {
  const { id: exact } = await makeNamedKey(sql, id, "ERP");
  const { id: begins } = await makeNamedKey(sql, id, "ERP novo");
  const others: string[] = [];
  for (let n = 0; n < 6; n++) others.unshift((await makeNamedKey(sql, id, `Agência ${n} do ERP`)).id);
  const found = await (await searcher(sql, id))("erp");
  assert.deepEqual(found.map((one) => one.id), [exact, begins, ...others.slice(0, 3)]);
});

test("An id finds the record, key, webhook, delivery or event that has it, and in another workspace nothing", async ({ sql, workspace: { id, key } }) => {
  const { id: keyId, prefix } = await makeNamedKey(sql, id, "ERP");
  const mailbox = openMailbox();
  const webhook = await subscribe(key, mailbox.url, ["contact.created"]);
  const contact = await create(key, "/api-v1-contacts", { name: "Ana Souza" });
  const company = await create(key, "/api-v1-companies", { name: "Padaria Sol" });
  const deal = await create(key, "/api-v1-deals", { title: "Plano anual", contact_id: contact.id });
  const activity = await create(key, "/api-v1-activities", { title: "Ligar", deal_id: deal.id });
  const note = await create(key, "/api-v1-notes", { body: "Volta segunda", deal_id: deal.id });
  await waitForDelivery(sql, webhook.id, ({ state }) => state === "delivered");
  const [delivery] = await sql<[{ id: string; event_id: string }]>`
    select id, event_id from crm.webhook_deliveries where workspace_id = ${id}`;
  const none = { detail: null, parent_id: null };
  const { url } = mailbox;
  const created = { name: "contact.created" };
  const expected: Found[] = [
    { type: "key", id: keyId, name: "ERP", detail: prefix, parent_id: null },
    { type: "webhook", id: webhook.id, name: url, detail: url, parent_id: null },
    { type: "contact", id: contact.id, name: "Ana Souza", ...none },
    { type: "company", id: company.id, name: "Padaria Sol", ...none },
    { type: "deal", id: deal.id, name: "Plano anual", ...none },
    { type: "activity", id: activity.id, name: "Ligar", ...none },
    { type: "note", id: note.id, name: "Plano anual", ...none },
    { type: "event", id: delivery.event_id, ...created, detail: "Ana Souza", parent_id: contact.id },
    { type: "delivery", id: delivery.id, ...created, detail: url, parent_id: webhook.id },
  ];
  const [search, elsewhere] = [await searcher(sql, id), await searcher(sql, (await makeWorkspace(sql)).id)];
  for (const one of expected) {
    assert.deepEqual(await search(one.id), [one], one.type);
    assert.deepEqual(await search(` ${one.id.toUpperCase()} `), [one], one.type);
    assert.deepEqual(await elsewhere(one.id), [], one.type);
  }
  assert.deepEqual(await search(UNKNOWN_ID), []);
  await create(key, "/api-v1-deals", { title: "Importado", external_id: UNKNOWN_ID });
  assert.deepEqual((await search(UNKNOWN_ID)).map(({ name }) => name), ["Importado"], "another system's id");
});

test("The console's search finds no app's grant, and no contact that was erased", async ({ sql, workspace: { id, key }, api }) => {
  const { id: grant } = await makeNamedKey(sql, id, "Claude");
  const { userId } = await signIn(sql, id, "vendedor");
  await sql`update crm.api_keys set client_id = ${crypto.randomUUID()}, user_id = ${userId} where id = ${grant}`;
  const contact = await create(key, "/api-v1-contacts", { name: "Ana Souza" });
  const { status } = await api.post(`/api-v1-contacts/${contact.id}/erase`);
  assert.ok(status < 300);
  const search = await searcher(sql, id, "admin");
  for (const q of ["claude", grant, "ana souza", contact.id]) assert.deepEqual(await search(q), [], q);
});

test("The console's search needs 1 to 100 characters", async ({ sql, workspace: { id } }) => {
  const { client: member } = await signIn(sql, id, "vendedor");
  for (const query of ["", "?q=", "?q=%20", `?q=${"a".repeat(101)}`]) {
    assertError(await member.get(SEARCH + query), "validation_error", ["q"]);
  }
  for (const q of ["a", "a".repeat(100)]) assert.equal((await member.get(`${SEARCH}?q=${q}`)).status, 200);
});

test("The console's search finds an active webhook, even if more webhooks than it reads were created and deleted since", async ({ sql, workspace: { id, key } }) => {
  const { url } = openMailbox();
  const { id: active } = await subscribe(key, url, ["deal.won"]);
  await sql`
    insert into crm.webhook_subscriptions (
      workspace_id, event_types, target_url, is_active, deactivated_reason, deactivated_at, created_at
    )
    select ${id}, '{deal.won}', ${url}, false, 'deleted', now(), now() + n * interval '1 ms'
    from generate_series(1, 1001) n`;
  const found = await (await searcher(sql, id))(url);
  assert.deepEqual([found.length, found.some((one) => one.id === active)], [5, true]);
});
