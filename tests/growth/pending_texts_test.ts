import assert from "node:assert/strict";
import { countBlocksAgain } from "../support/blocks.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { openDatabase, openWithoutTriggers } from "../support/stack.ts";

const EVENTS = 60_000;
/** Enough to descend the indexes of a few days' partitions. The index of these events by id alone is 400 blocks. */
const MAX_BLOCKS = 120;

Deno.test("What is pending for a search is found at the end of the feed, without the events of the day before it", async () => {
  await using sql = openDatabase();
  const workspace = await makeWorkspace(sql);
  await using admin = await openWithoutTriggers();
  await admin`
    insert into crm.events (workspace_id, id, event, object_id, facts, occurred_at, position)
    select ${workspace.id}, crm.uuid_v7(made), 'contact.created', crm.uuid_v7(made), '{}', made, 1
    from generate_series(1, ${EVENTS}::integer) n
    cross join lateral (select now() - n * interval '1 second' as made) m`;
  await admin`vacuum analyze crm.events`;
  const blocks = await admin.begin(async (sql) => {
    await sql`select set_config('app.workspace_id', ${workspace.id}, true)`;
    return await countBlocksAgain(sql, "select crm.pending_texts('contact', 4000)");
  });
  assert.ok(blocks <= MAX_BLOCKS, `${blocks} blocks`);
});
