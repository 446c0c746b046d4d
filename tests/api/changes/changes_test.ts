// The change log (docs/decisions/0016-events-feed-change-log.md).
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { Change } from "../../../supabase/functions/api-v1-changes/schema.ts";
import { EVENT_TYPES, EVENTS } from "../../../supabase/functions/_shared/contract/events.ts";
import { actAsMember } from "../../support/transactions.ts";
import { assertError, client, type Reply } from "../../support/client.ts";
import { causeEveryEvent } from "../../support/every_event.ts";
import { makeKey, makeWorkspace } from "../../support/fixtures.ts";
import { customer, makeProposal } from "../../support/proposals.ts";
import { ids, readPages } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";
import { signIn } from "../../support/sessions.ts";

const CHANGES = "/api-v1-changes";

type Item = Reply["body"];

/** The changes that a query finds, as `<who>: <action> <fields>`, oldest first. */
async function read(key: string, query: string): Promise<string[]> {
  const reply = await client(key).get(`${CHANGES}?${query}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.data.map(({ actor, action, changed_fields }: Item) =>
    [`${actor.type} ${actor.name}: ${action}`, ...changed_fields].join(" ")
  ).reverse();
}

/** Stores an event as if it had been written `days` days ago. */
async function emitAgo(sql: Sql, workspaceId: string, days: number, objectId: string): Promise<string> {
  const [row] = await sql<[{ id: string }]>`
    insert into crm.events (workspace_id, id, event, object_id, facts, occurred_at)
    select ${workspaceId}, crm.uuid_v7(t.at), 'deal.updated', ${objectId}, '{"changed_fields": ["value"]}', t.at
    from (select date_trunc('milliseconds', now() - ${days} * interval '1 day') as at) t returning id`;
  return row.id;
}

test("GET /api-v1-changes names who changed which fields of an object, once for each change, without the values", async ({ sql, workspace, api }) => {
  const { id: keyId, key } = await makeKey(sql, workspace.id);
  await sql`update crm.api_keys set name = 'ERP' where id = ${keyId}`;
  const { lead: { deal_id, contact_id } } =
    (await client(key).post("/api-v1-leads", { first_name: "Segredo", email: "segredo@x.com" })).body;
  await api.patch(`/api-v1-deals/${deal_id}`, { value: 777, title: "Segredo 2" });
  await api.patch(`/api-v1-deals/${deal_id}`, { value: 777 });
  await api.post(`/api-v1-deals/${deal_id}/win`);
  await sql`update crm.deals set source = 'site' where id = ${deal_id}`;

  const [own] =
    await sql`select name from crm.api_keys where workspace_id = ${workspace.id} and id <> ${keyId}`;
  assert.deepEqual(await read(workspace.key, `object_id=${deal_id}`), [
    "key ERP: deal.created",
    `key ${own!["name"]}: deal.updated title value`,
    `key ${own!["name"]}: deal.updated closed_at status won_at`,
    "system null: deal.updated source",
  ]);
  const reply = await api.get(`${CHANGES}?object_id=${contact_id}`);
  assert.doesNotMatch(reply.text, /segredo/i);
  const [created] = reply.body.data;
  const [event] =
    await sql`select id, crm.iso(occurred_at) as at from crm.events where object_id = ${contact_id}`;
  assert.deepEqual(created, {
    id: event!["id"],
    object_type: "contact",
    object_id: contact_id,
    action: "contact.created",
    changed_fields: [],
    actor: { type: "key", id: keyId, name: "ERP" },
    occurred_at: event!["at"],
  });
});

test("GET /api-v1-changes says who made a change: the customer of a proposal's link, a member, or the system", async ({ sql, workspace, newDeal }) => {
  const deal = await newDeal();
  const { id, link } = await makeProposal(sql, deal.id);
  await customer(link).accept();
  const [proposal] = await sql`select title from crm.proposals where id = ${id}`;
  assert.deepEqual(
    (await read(workspace.key, `object_id=${id}`)).at(-1),
    `link ${proposal!["title"]}: proposal.accepted`,
  );

  await signIn(sql, workspace.id, "admin");
  const [member] = await sql<[{ id: string; name: string }]>`
    select id, name from crm.members where workspace_id = ${workspace.id} order by id desc limit 1`;
  await sql.begin(async (sql) => {
    // Sets the caller as app.call does, because no verb that members call changes a deal.
    await actAsMember(sql, member.id);
    await sql`update crm.deals set value = 5 where id = ${deal.id}`;
  });
  await sql`update crm.deals set value = 6 where id = ${deal.id}`;
  assert.deepEqual((await read(workspace.key, `object_id=${deal.id}`)).slice(-2), [
    `member ${member.name}: deal.updated value`,
    "system null: deal.updated value",
  ]);
});

test("GET /api-v1-changes lists every event that is a change, valid against its schema, and no other event", async ({ sql, workspace, api }) => {
  await causeEveryEvent(sql, workspace);
  const { body } = await api.get(`${CHANGES}?limit=200`);
  for (const change of body.data) assert.deepEqual(Change.parse(change), change);
  const listed = new Set(body.data.map(({ action }: Item) => action));
  const caused = await sql<{ event: string }[]>`
    select distinct event::text from crm.events where workspace_id = ${workspace.id}`;
  const changes: string[] = EVENT_TYPES.filter((event) => EVENTS[event].change);
  const expected = caused.map(({ event }) => event).filter((event) => changes.includes(event));
  assert.deepEqual([...listed].sort(), expected.sort());
  assert.ok(expected.length >= 12, expected.join());
  for (const told of ["deal.won", "lead.received", "deal.stale"]) assert.equal(listed.has(told), false, told);
});

test("GET /api-v1-changes filters by object, type and time, alone and together", async ({ sql, workspace: { id, key }, newDeal }) => {
  const [one, other] = [crypto.randomUUID(), crypto.randomUUID()];
  const at: Record<string, string> = {};
  for (const days of [80, 40, 10, 2]) at[days] = await emitAgo(sql, id, days, one);
  await emitAgo(sql, id, 10, other);
  await newDeal();
  const found = async (query: string) => ids(await client(key).get(`${CHANGES}?${query}`));
  const moment = async (days: number) => {
    const [row] = await sql<[{ at: string }]>`
      select crm.iso(occurred_at) as at from crm.events where id = ${at[days]!}`;
    return row.at;
  };
  assert.deepEqual(await found(`object_id=${one}`), [at[2], at[10], at[40], at[80]]);
  assert.deepEqual(await found(`object_id=${one}&object_type=contact`), []);
  assert.equal((await found("object_type=deal")).length, 6);
  assert.equal((await found("object_type=contact")).length, 1, "the contact of the new deal");
  for (const query of ["", `object_id=${one}&`]) {
    const between = await found(`${query}since=${await moment(40)}&until=${await moment(2)}`);
    assert.equal(between.length, query === "" ? 3 : 2);
    assert.deepEqual(await found(`${query}until=${await moment(40)}`), [at[80]], "until is exclusive");
    const recent = await found(`${query}since=${await moment(2)}`);
    assert.equal(recent.at(-1), at[2], "since is inclusive");
  }
  assertError(await client(key).get(`${CHANGES}?object_type=webhook`), "validation_error");
  assertError(await client(key).get(`${CHANGES}?cursor=x`), "invalid_cursor");
  assertError(await client(key).get(`${CHANGES}?action=deal.updated`), "validation_error");
});

test("GET /api-v1-changes goes back 90 days", async ({ sql, workspace: { id, key } }) => {
  const object = crypto.randomUUID();
  const kept = await emitAgo(sql, id, 89.9, object);
  await emitAgo(sql, id, 90.1, object);
  for (const query of ["", `object_id=${object}`, "since=2020-01-01"]) {
    const { data, meta } = (await client(key).get(`${CHANGES}?${query}`)).body;
    assert.deepEqual(data.map((change: Item) => change.id), [kept], query);
    assert.deepEqual(meta, { next_cursor: null, has_more: false });
  }
  // The feed still shows only 30 days.
  for (const query of ["", `?since=2020-01-01&object_id=${object}`]) {
    assert.deepEqual((await client(key).get(`/api-v1-events${query}`)).body.data, []);
  }
});

test("GET /api-v1-changes pages by next_cursor: each change is on one page, newest first", async ({ sql, workspace: { id, key } }) => {
  const object = crypto.randomUUID();
  await sql`
    insert into crm.events (workspace_id, event, object_id, facts)
    select ${id}, (case when n % 3 = 0 then 'deal.won' else 'deal.updated' end)::crm.event_type, ${object},
      '{"changed_fields": ["value"]}'
    from generate_series(1, 36) n`;
  const rows = await sql`
    select id from crm.events where workspace_id = ${id} and event = 'deal.updated' order by id desc`;
  const expected = rows.map((row) => row["id"]);
  for (const query of ["", `object_id=${object}&`]) {
    const pages = await readPages(client(key), `${CHANGES}?${query}limit=8`);
    assert.deepEqual(pages.map(({ body }) => body.data.length), [8, 8, 8]);
    assert.deepEqual(pages.flatMap(ids), expected);
  }
});

test("GET /api-v1-changes scans at most 5,000 events for a page: the page may be empty, and later pages have the matches", async ({ sql, workspace: { id, key } }) => {
  const object = crypto.randomUUID();
  const oldest = await emitAgo(sql, id, 1, object);
  await sql`
    insert into crm.events (workspace_id, event, object_id, facts)
    select ${id}, 'deal.won', ${object}, '{}' from generate_series(1, 5001) n`;
  for (const query of ["", `object_id=${object}&`]) {
    const first = (await client(key).get(`${CHANGES}?${query}limit=1`)).body;
    assert.deepEqual(first.data, []);
    assert.equal(first.meta.has_more, true);
    const next = (await client(key).get(`${CHANGES}?${query}cursor=${first.meta.next_cursor}`)).body;
    assert.deepEqual(next.data.map((change: Item) => change.id), [oldest]);
    assert.equal(next.meta.has_more, false);
  }
});

test("GET /api-v1-changes shows nothing of another workspace, even for its objects and cursors, and names none of its keys", async ({ sql, workspace, api, newDeal }) => {
  const deal = await newDeal();
  const [event] = ids(await api.get(CHANGES));
  const other = await makeWorkspace(sql);
  for (const query of ["", `cursor=${event}`, `object_id=${deal.id}&cursor=${event}`]) {
    assert.deepEqual((await client(other.key).get(`${CHANGES}?${query}`)).body.data, [], query);
  }
  const [row] = await sql`
    select set_config('app.workspace_id', ${other.id}, true), crm.actor_json(k.id) as actor
    from crm.api_keys k where k.workspace_id = ${workspace.id} limit 1`;
  assert.deepEqual(row!["actor"], { type: "system", id: null, name: null });
});
