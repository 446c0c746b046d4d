// The feed never skips an event whose transaction commits after later transactions.
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { assertError } from "../../support/client.ts";
import { EVENTS, type FeedEvent, readAll, readPage, readUntil } from "../../support/feed.ts";
import { makeContacts, makeEvents } from "../../support/feed_rows.ts";
import type { TestWorkspace } from "../../support/fixtures.ts";
import { test } from "../../support/scenario.ts";
import { openDatabase } from "../../support/stack.ts";

const names = (events: FeedEvent[]) => events.map(({ data }) => data.name);

/** Opens a transaction that creates a contact, and leaves it open. */
async function openWrite(workspace: TestWorkspace, name: string, isolation = "read committed") {
  const sql = openDatabase();
  const connection = await sql.reserve();
  await connection.unsafe(`begin isolation level ${isolation}`);
  await makeContacts(connection as unknown as Sql, workspace, 1, name);
  const end = async (how: "commit" | "rollback") => {
    await connection.unsafe(how);
    connection.release();
  };
  return { sql: connection as unknown as Sql, end, [Symbol.asyncDispose]: () => sql.end({ timeout: 0 }) };
}

test("GET /api-v1-events: an event is not skipped if its transaction begins before another transaction and commits later", async ({ api, sql, workspace }) => {
  await makeContacts(sql, workspace, 1, "Antes");
  const { cursor: before } = await readUntil(api, 1);
  await using late = await openWrite(workspace, "Tarde");
  await makeContacts(sql, workspace, 1, "Cedo");

  // While `late` is open, later commits stay hidden, with any cursor and filters.
  const { events, cursor } = await readAll(api, { cursor: before });
  assert.deepEqual(names(events), []);
  assert.deepEqual(names((await readAll(api)).events), ["Antes 1"]);
  assert.deepEqual(names((await readAll(api, { event_types: "contact.created" })).events), ["Antes 1"]);
  await makeContacts(late.sql, workspace, 1, "Tarde de novo");
  await late.end("commit");

  const after = await readUntil(api, 3, { cursor });
  assert.deepEqual(names(after.events), ["Tarde 1", "Tarde de novo 1", "Cedo 1"]);
  assert.deepEqual(names((await readAll(api)).events), ["Antes 1", "Tarde 1", "Tarde de novo 1", "Cedo 1"]);
});

test("GET /api-v1-events: a cursor from a full page does not skip an event that commits late", async ({ api, sql, workspace }) => {
  await makeContacts(sql, workspace, 3, "Antes");
  await readUntil(api, 3);
  await using late = await openWrite(workspace, "Tarde");
  await makeContacts(sql, workspace, 3, "Cedo");
  const first = await readPage(api, { limit: "2" });
  const second = await readPage(api, { limit: "2", cursor: first.meta.next_cursor });
  assert.deepEqual([second.data.length, second.meta.has_more], [1, false]);
  await late.end("commit");
  const { events } = await readUntil(api, 4, { cursor: second.meta.next_cursor, limit: "2" });
  assert.deepEqual(names(events), ["Tarde 1", "Cedo 1", "Cedo 2", "Cedo 3"]);
});

test("GET /api-v1-events: since and object_id do not skip an event that commits late", async ({ api, sql, workspace }) => {
  const since = new Date(Date.now() - 60_000).toISOString();
  await using late = await openWrite(workspace, "Tarde", "repeatable read");
  const [{ id }] = await late.sql<[{ id: string }]>`
    select id from crm.contacts where workspace_id = ${workspace.id}`;
  await makeContacts(sql, workspace, 1, "Cedo");
  const bySince = await readAll(api, { since });
  const byFuture = await readAll(api, { since: "2999-01-01" });
  const byObject = await readAll(api, { object_id: id });
  assert.deepEqual([bySince.events, byFuture.events, byObject.events], [[], [], []]);
  await late.end("commit");
  for (const query of [{ since, cursor: bySince.cursor }, { cursor: byFuture.cursor }]) {
    assert.deepEqual(names((await readUntil(api, 2, query)).events), ["Tarde 1", "Cedo 1"]);
  }
  const ofObject = await readUntil(api, 1, { object_id: id, cursor: byObject.cursor });
  assert.deepEqual(names(ofObject.events), ["Tarde 1"]);
});

test("GET /api-v1-events: the cursor of a page with since stays before every open transaction", async ({ api, sql, workspace }) => {
  await using late = await openWrite(workspace, "Tarde");
  // Without the open transaction, the cursor of a page with `since` would be after this old event.
  await makeEvents(sql, workspace.id, 1, { ageS: 300 });
  const { meta: { next_cursor: cursor } } = await readPage(api, { since: "2999-01-01" });
  assert.deepEqual((await readAll(api, { cursor })).events, []);
  await late.end("commit");
  const { events } = await readUntil(api, 2, { cursor });
  assert.deepEqual(events.map(({ event }) => event), ["contact.created", "deal.stale"]);
});

test("GET /api-v1-events: a rolled-back event never appears, and delays no other event after the rollback", async ({ api, sql, workspace }) => {
  await using undone = await openWrite(workspace, "Desfeito");
  await makeContacts(sql, workspace, 1, "Cedo");
  const { events, cursor } = await readAll(api);
  assert.deepEqual(events, []);
  await undone.end("rollback");
  assert.deepEqual(names((await readUntil(api, 1, { cursor })).events), ["Cedo 1"]);
});

test("GET /api-v1-events is not delayed by a long transaction that only reads", async ({ api, sql, workspace }) => {
  await using reader = openDatabase();
  await reader.begin("isolation level repeatable read", async (reader) => {
    await reader`select count(*) from crm.events`;
    await makeContacts(sql, workspace, 1, "Cedo");
    // The reader's transaction stays open until this block ends.
    assert.deepEqual(names((await readUntil(api, 1)).events), ["Cedo 1"]);
  });
});

test("GET /api-v1-events answers 410 cursor_expired to a cursor from over 30 days ago, and never to a client that keeps polling (spec 7)", async ({ api, sql, workspace }) => {
  const cursorAt = async (age: string) => {
    const [{ text }] = await sql<[{ text: string }]>`
      select crm.feed_cursor_text(row(1, gen_random_uuid(), now() - ${age}::interval)) as text`;
    return text;
  };
  const old = await cursorAt("30 days 1 minute");
  for (const query of [`cursor=${old}`, `since=2026-01-01&cursor=${old}`]) {
    assertError(await api.get(`${EVENTS}?${query}`), "cursor_expired");
  }
  // A page without a cursor begins with the oldest stored events; its next_cursor must not have expired already.
  const { meta } = await readPage(api);
  assert.equal((await api.get(`${EVENTS}?cursor=${meta.next_cursor}`)).status, 200);

  // Polling renews the cursor even if there are no events for a month.
  await makeContacts(sql, workspace, 1);
  const kept = await cursorAt("29 days 23 hours");
  const { cursor } = await readUntil(api, 1, { cursor: kept });
  const [{ read_until }] = await sql<[{ read_until: Date }]>`
    select c.read_until from crm.feed_cursor_of(${cursor}) c`;
  assert.ok(Date.now() - read_until.getTime() < 3_600_000 + 60_000);
});

test("GET /api-v1-events answers 410 cursor_expired to a cursor past the last transaction of the database (spec 7)", async ({ api, sql }) => {
  const [{ ahead }] = await sql<[{ ahead: string }]>`
    select crm.feed_cursor_text(row(crm.feed_horizon() + 1000000, gen_random_uuid(), now())) as ahead`;
  assertError(await api.get(`${EVENTS}?cursor=${ahead}`), "cursor_expired");
});
