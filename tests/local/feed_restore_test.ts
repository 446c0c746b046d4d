// After a restore into another cluster, transaction numbers start again from the beginning.
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { startServer } from "../../bench/harness/functions.ts";
import { eventually } from "../../bench/harness/waiting.ts";
import { openWorld } from "../../bench/harness/world.ts";
import { call } from "../support/client.ts";
import { makeWorkspace } from "../support/fixtures.ts";

/** Positions of the dumped events, and of events that the lost database wrote after the dump. */
const DUMPED = 5_000_000_000n;
const LOST = 5_000_900_000n;

Deno.test("After a restore and crm.continue_feed(), the feed keeps its order and accepts cursors from before", async () => {
  await using world = await openWorld();
  const { sql } = world;
  const workspace = await makeWorkspace(sql);
  await restoreEvents(sql, workspace.id);
  await using server = await startServer({ DATABASE_URL: world.functionsDatabaseUrl });
  const read = async (cursor?: string) => {
    const query = cursor === undefined ? "" : `?cursor=${cursor}`;
    const options = { base: server.baseUrl, key: workspace.key };
    const { status, body } = await call("GET", `/api-v1-events${query}`, options);
    return status === 200
      ? {
        events: body.data.map(({ data }: { data: { name: string } }) => data.name),
        ...body.meta,
      }
      : body.error.code;
  };
  // The feed shows an event only when all earlier transactions have ended.
  const makeContact = async (name: string) => {
    await sql`
      insert into crm.contacts (workspace_id, name, owner_id) values (${workspace.id}, ${name}, ${workspace.memberId})`;
    await eventually(async () => (await read()).events.includes(name), `the event of ${name}`);
  };
  const [middle, ahead] = [
    await cursorAt(sql, workspace.id, DUMPED + 1n),
    await cursorAt(sql, workspace.id, LOST),
  ];

  // Without crm.continue_feed() a reader gets an error instead of waiting for ever.
  assert.equal(await read(middle), "cursor_expired");
  assert.equal(await read(ahead), "cursor_expired");

  await sql`select crm.continue_feed()`;
  await makeContact("Depois");
  const all = await read();
  assert.deepEqual([all.events, all.has_more], [["Um", "Dois", "Três", "Depois"], false]);
  assert.deepEqual((await read(middle)).events, ["Três", "Depois"]);
  assert.deepEqual((await read(ahead)).events, ["Depois"]);

  // A second call moves no event.
  await sql`select crm.continue_feed()`;
  await makeContact("Por fim");
  assert.deepEqual((await read()).events, ["Um", "Dois", "Três", "Depois", "Por fim"]);
  assert.deepEqual((await read(all.next_cursor)).events, ["Por fim"]);
});

/** Writes contacts whose events have positions of another cluster, as after a restore. */
async function restoreEvents(sql: Sql, workspaceId: string): Promise<void> {
  await sql`
    insert into crm.contacts (workspace_id, name, owner_id)
    select m.workspace_id, t.name, m.id from crm.members m, unnest(array['Um', 'Dois', 'Três']) with ordinality t (name, n)
    where m.workspace_id = ${workspaceId} order by t.n`;
  await sql`
    update crm.events e set position = ${String(DUMPED)}::bigint + o.n - 1
    from (select id, row_number() over (order by id) as n from crm.events where workspace_id = ${workspaceId}) o
    where e.workspace_id = ${workspaceId} and e.id = o.id`;
}

async function cursorAt(sql: Sql, workspaceId: string, position: bigint): Promise<string> {
  const [{ text }] = await sql<[{ text: string }]>`
    select crm.feed_cursor_text(row(
      ${String(position)}::bigint,
      coalesce(
        (select e.id from crm.events e where e.workspace_id = ${workspaceId} and e.position = ${
    String(position)
  }::bigint),
        gen_random_uuid()
      ),
      now()
    )) as text`;
  return text;
}
