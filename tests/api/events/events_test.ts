import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { assertError, client } from "../../support/client.ts";
import { EVENTS, readAll, readPage, readUntil } from "../../support/feed.ts";
import { makeKey, makeWorkspace } from "../../support/fixtures.ts";
import { makeContacts, makeEvents } from "../../support/feed_rows.ts";
import { test } from "../../support/scenario.ts";

const MALFORMED = "Deve ser o meta.next_cursor de uma resposta desta lista";

test("GET /api-v1-events lists what happened, oldest first, with the object as it is now", async ({ api, workspace: { id } }) => {
  const lead =
    (await api.post("/api-v1-leads", { first_name: "Ana", company_name: "Padaria Sol" })).body.lead;
  await api.post(`/api-v1-deals/${lead.deal_id}/win`, {});
  await api.patch(`/api-v1-contacts/${lead.contact_id}`, { job_title: "Sócia" });
  const expected = ["contact.created", "deal.created", "lead.received", "deal.won"];
  const { events } = await readUntil(api, 4, { event_types: expected.join() });

  assert.deepEqual(events.map(({ event }) => event), expected);
  const [contact, deal, received] = events;
  const { id: _, data: { job_title }, occurred_at: __, ...rest } = contact!;
  assert.deepEqual(rest, {
    event: "contact.created",
    workspace_id: id,
    object_type: "contact",
    object_id: lead.contact_id,
    actor_id: (await api.get("/api-v1-me")).body.key.id,
  });
  assert.equal(job_title, "Sócia");
  assert.deepEqual([deal!.object_type, deal!.data.id, deal!.data.status], ["deal", lead.deal_id, "ganho"]);
  assert.equal(received!.data.lead.deal_id, lead.deal_id);
});

test("GET /api-v1-events pages by next_cursor, which is never null: each event is listed once, in order also within a transaction, and later events follow", async ({ api, sql, workspace }) => {
  assert.equal(typeof (await readPage(api)).meta.next_cursor, "string");
  await makeContacts(sql, workspace, 25);
  const { events, cursor, pages } = await readUntil(api, 25, { limit: "10" });
  assert.deepEqual(pages.map(({ data }) => data.length), [10, 10, 5]);
  assert.deepEqual(pages.map(({ meta }) => meta.has_more), [true, true, false]);
  assert.deepEqual(events.map(({ data }) => data.name), events.map((_, index) => `Contato ${index + 1}`));

  const nothing = await readPage(api, { cursor });
  assert.deepEqual(nothing, { data: [], meta: { next_cursor: cursor, has_more: false } });
  await makeContacts(sql, workspace, 2, "Depois");
  const later = await readUntil(api, 2, { cursor });
  assert.deepEqual(later.events.map(({ data }) => data.name), ["Depois 1", "Depois 2"]);
});

test("GET /api-v1-events filters by event_types, object_id and since, alone and together", async ({ api, sql, workspace, newDeal }) => {
  const { id: deal_id } = await newDeal();
  const { cursor } = await readUntil(api, 3);
  const [first, second] = await makeContacts(sql, workspace, 2);
  const { body: { id: company } } = await api.post("/api-v1-companies", { name: "Padaria Sol" });
  const all = (await readUntil(api, 3, { cursor })).events;
  const ids = async (query: Record<string, string>) =>
    (await readAll(api, { cursor, ...query })).events.map(({ object_id }) => object_id);

  const { occurred_at: since } = all.find(({ object_id }) => object_id === company)!;
  const { meta: { next_cursor } } = await readPage(api, { cursor, limit: "1" });
  const cases: [query: Record<string, string>, expected: (string | undefined)[]][] = [
    [{ event_types: "contact.created" }, [first, second]],
    [{ event_types: "company.created, contact.created" }, [first, second, company]],
    [{ event_types: "deal.won" }, []],
    [{ object_id: second! }, [second]],
    [{ object_id: second!, event_types: "deal.won" }, []],
    [{ since }, [company]],
    [{ since, object_id: second! }, []],
    [{ since: "2026-01-01" }, [first, second, company]],
    [{ since: "2999-01-01" }, []],
    [{ since, cursor: next_cursor }, [company]],
    [{ event_types: "contact.created", cursor: next_cursor }, [second]],
  ];
  for (const [query, expected] of cases) assert.deepEqual(await ids(query), expected, JSON.stringify(query));
  const { events: ofDeal } = await readAll(api, { object_id: deal_id });
  assert.deepEqual(ofDeal.map(({ event }) => event), ["deal.created", "lead.received"]);
});

test("GET /api-v1-events scans at most 5,000 events for a page: the page may be empty, and later pages have the matches", async ({ api, sql, workspace }) => {
  await makeEvents(sql, workspace.id, 5_100);
  const [contact] = await makeContacts(sql, workspace, 1);
  const { pages, events } = await readUntil(api, 1, { event_types: "contact.created" });
  assert.deepEqual(pages.map(({ data }) => data.length), [0, 1]);
  assert.deepEqual(pages.map(({ meta }) => meta.has_more), [true, false]);
  assert.equal(events[0]!.object_id, contact);
});

test("GET /api-v1-events ends a page of long records at 2,000,000 bytes, and lists each event once", async ({ api, sql, workspace }) => {
  await makeContacts(sql, workspace, 120, "Longo", "á".repeat(10_000));
  const { pages, events } = await readUntil(api, 120, { limit: "200" });
  assert.ok(pages.length > 1);
  for (const { data } of pages) {
    assert.ok(new TextEncoder().encode(JSON.stringify(data)).length < 2_030_000);
  }
  assert.equal(new Set(events.map(({ id }) => id)).size, 120);
  assert.equal(events.length, 120);
});

test("GET /api-v1-events needs only events:read, skips test events, and shows null for an object that cannot be read", async ({ sql, workspace }) => {
  await makeEvents(sql, workspace.id, 3, { isTest: true });
  await makeEvents(sql, workspace.id, 1, { event: "lead.received", facts: { contact_id: "no uuid" } });
  const [contact] = await makeContacts(sql, workspace, 1);
  const { key } = await makeKey(sql, workspace.id, { scopes: ["events:read"] });
  const { events } = await readUntil(client(key), 2);
  assert.deepEqual(events.map(({ data }) => data?.id ?? null), [null, contact]);
});

test("GET /api-v1-events shows no event of another workspace, even for its cursors and objects", async ({ api, sql, workspace }) => {
  const other = await makeWorkspace(sql);
  const theirs = client(other.key);
  const empty = await readPage(theirs);
  const [contact] = await makeContacts(sql, other, 2);
  const { cursor } = await readUntil(theirs, 2);
  for (const query of [{}, { cursor: empty.meta.next_cursor }, { cursor }, { object_id: contact! }]) {
    assert.deepEqual((await readAll(api, query)).events, [], JSON.stringify(query));
  }
  const [own] = await makeContacts(sql, workspace, 1);
  const { events } = await readUntil(api, 1, { cursor });
  assert.deepEqual(events.map(({ object_id }) => object_id), [own]);
});

test("GET /api-v1-events answers invalid_cursor to every text that is not one of its cursors (spec 7)", async ({ api }) => {
  const { meta: { next_cursor } } = await readPage(api);
  const wrong = [
    "",
    "x",
    "01a2009b-3363-7b6c-b757-15903b230c29",
    next_cursor.slice(1),
    `${next_cursor}A`,
    next_cursor.replace(/.$/, "+"),
    // A cursor in the old format, which revealed the position.
    `AQ${"A".repeat(42)}`,
    ...Array.from(next_cursor, (character, index) => {
      const other = character === "k" ? "l" : "k";
      return `${next_cursor.slice(0, index)}${other}${next_cursor.slice(index + 1)}`;
    }),
  ];
  for (const cursor of wrong) {
    const reply = await api.get(`${EVENTS}?${new URLSearchParams({ cursor })}`);
    assert.deepEqual(assertError(reply, "invalid_cursor"), { cursor: MALFORMED }, cursor);
  }
});

test("Cursors of GET /api-v1-events do not reveal how many transactions other workspaces made in between", async ({ sql, workspace }) => {
  const [{ position }] = await sql<[{ position: string }]>`select crm.feed_position() as position`;
  const id = crypto.randomUUID();
  const words = async (added: number) => {
    const [{ text }] = await sql<[{ text: string }]>`
      select crm.feed_cursor_text(row(${position}::bigint + ${added}, ${id}, '2026-01-01')) as text`;
    const bytes = Buffer.from(text, "base64url");
    return Array.from({ length: bytes.length - 7 }, (_, offset) => bytes.readBigUInt64BE(offset));
  };
  const here = await words(0);
  assert.deepEqual(here, await words(0), "a poll that finds nothing answers the same bytes");
  assert.ok(!here.includes(BigInt(position)));
  // The bytes of two cursors must show neither the difference nor the XOR of their positions.
  for (const added of [1, 1000]) {
    const there = await words(added);
    const xor = BigInt(position) ^ (BigInt(position) + BigInt(added));
    for (const [offset, word] of there.entries()) {
      assert.notEqual(word - here[offset]!, BigInt(added));
      assert.notEqual(word ^ here[offset]!, xor);
    }
  }
  // The cursor that a client gets is made in the same way, from the event's position.
  const api = client(workspace.key);
  await makeContacts(sql, workspace, 1);
  const { events, cursor } = await readUntil(api, 1);
  const [own] = await sql`
    select c.position = e.position as same from crm.events e, crm.feed_cursor_of(${cursor}) c
    where e.id = ${events[0]!.id}`;
  assert.equal(own!["same"], true);
});

test("GET /api-v1-events answers 422 to invalid filters, and names each", async ({ api }) => {
  for (const event_types of ["", "deal.vencido", "deal.won,", "deal.won;deal.lost"]) {
    const reply = await api.get(`${EVENTS}?${new URLSearchParams({ event_types })}`);
    assert.ok("event_types" in assertError(reply, "invalid_event_type"));
  }
  const reply = await api.get(`${EVENTS}?object_id=1&since=ontem&limit=0&cursor=x&updated_since=2026-01-01`);
  assert.deepEqual(
    Object.keys(assertError(reply, "validation_error")).sort(),
    ["cursor", "limit", "object_id", "since", "updated_since"],
  );
});
