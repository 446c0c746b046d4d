import assert from "node:assert/strict";
import type { Crm, Event, SyncOptions } from "../../clients/sdk/src/index.ts";
import { eventually } from "../support/mailbox.ts";
import { test } from "../support/scenario.ts";
import { recordingCrm } from "../support/sdk.ts";

/** Runs a program that stores the cursor, until it has `count` events. An event appears a moment after its write. */
async function run(crm: Crm, count: number, options: SyncOptions = {}) {
  const events: Event[] = [];
  let { cursor } = options;
  await eventually(async () => {
    for await (const step of crm.sync({ ...options, cursor })) {
      events.push(...step.events);
      cursor = step.cursor;
    }
    return events.length >= count;
  }, `${count} events`);
  return { events, cursor: cursor! };
}

test("sync reads each event once across restarts, in order, and the objects as they are now", async ({ workspace: { key } }) => {
  const { crm } = recordingCrm(key);
  const { id } = await crm.contacts.create({ name: "Ana" });
  const first = await run(crm, 1);
  assert.deepEqual(first.events.map(({ event, object_id }) => [event, object_id]), [["contact.created", id]]);
  await crm.contacts.update(id, { name: "Ana Souza" });
  await crm.contacts.batch(["B", "C", "D"].map((name) => ({ op: "create", data: { name } })));
  const second = await run(crm, 4, { cursor: first.cursor, limit: 2 });
  const types = ["contact.updated", ...Array(3).fill("contact.created")];
  assert.deepEqual(second.events.map(({ event }) => event), types);
  const [updated] = second.events;
  assert.ok(updated?.event === "contact.updated");
  assert.deepEqual([updated.data?.name, updated.data?.changed_fields], ["Ana Souza", ["name"]]);
  assert.deepEqual((await run(crm, 0, { cursor: second.cursor })).events, []);
});

test("sync returns a cursor to store even if nothing happened", async ({ workspace: { key } }) => {
  const { crm } = recordingCrm(key);
  const steps = [];
  for await (const step of crm.sync()) steps.push(step);
  assert.equal(steps.length, 1);
  assert.deepEqual(steps[0]!.events, []);
  assert.match(steps[0]!.cursor, /^[\w-]{64}$/);
});

test("From currentCursor on, sync reads what happened after a copy began, and nothing before", async ({ workspace: { key } }) => {
  const { crm } = recordingCrm(key);
  await crm.contacts.create({ name: "Before" });
  await run(crm, 1);
  const cursor = await crm.events.currentCursor();
  const { id } = await crm.contacts.create({ name: "After" });
  assert.deepEqual((await run(crm, 1, { cursor })).events.map(({ object_id }) => object_id), [id]);
});

test("sync with pollEvery waits for later events until its signal is aborted", async ({ workspace: { key } }) => {
  const { crm } = recordingCrm(key);
  const stop = new AbortController();
  const reason = new Error("shutting down");
  const seen: string[] = [];
  const reading = (async () => {
    const options = { pollEvery: 0.1, event_types: "contact.created" as const, signal: stop.signal };
    for await (const { events } of crm.sync(options)) seen.push(...events.map(({ object_id }) => object_id));
  })();
  const ended = assert.rejects(reading, reason);
  for (const name of ["A", "B"]) {
    const { id } = await crm.contacts.create({ name });
    await eventually(() => seen.at(-1) === id, name);
  }
  stop.abort(reason);
  await ended;
});

test("A cursor older than the stored events is the error cursor_expired", async ({ sql, workspace: { key } }) => {
  const { crm } = recordingCrm(key);
  const { cursor } = await run(crm, 0);
  const [{ expired }] = await sql<[{ expired: string }]>`
    select crm.feed_cursor_text(row(1, c.id, now() - interval '30 days 1 minute')::crm.feed_cursor) as expired
    from crm.feed_cursor_of(${cursor}) c`;
  await assert.rejects(crm.sync({ cursor: expired }).next(), { code: "cursor_expired", status: 410 });
});
