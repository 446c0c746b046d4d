// Records outcomes among a day's other deliveries. Uses a separate database, whose statistics no other test changes.
import assert from "node:assert/strict";
import { openWorld } from "../../bench/harness/world.ts";
import { createSubscribers, enqueue } from "../../bench/reliability/queue.ts";
import { countRows } from "../support/blocks.ts";
import { type Outcome, recordOutcomes } from "../support/queue.ts";

const DELIVERIES = 2000;
const GROUP = 40;

Deno.test("Recording a group of outcomes reads no other delivery of the day, even with a query plan from when there were few deliveries", async () => {
  await using world = await openWorld();
  const { sql } = world;
  const encryptionKey = world.secrets.webhook_encryption_key;
  const workspaces = await createSubscribers(sql, "https://127.0.0.1/", 1, { encryptionKey });
  // Erasures in other workspaces. Recording an answer must not read them.
  await sql`
    insert into crm.webhook_erasures (workspace_id, position)
    select gen_random_uuid(), n from generate_series(1, ${DELIVERIES}::integer) n`;
  const lease = async (count: number): Promise<Outcome[]> => {
    await enqueue(sql, workspaces, count);
    return await sql<Outcome[]>`
      update crm.webhook_queue set state = 'leased', lease_until = now() + interval '1 hour', lease_token = 1
      where state = 'ready' returning workspace_id, delivery_id, lease_token`;
  };
  const countReads = (outcomes: Outcome[]) =>
    sql.begin(async (sql) => {
      const before = await countRows(sql, "webhook\\_%");
      const answered = outcomes.map((outcome) => ({ ...outcome, answer: "ok" }));
      assert.equal((await recordOutcomes(sql, answered)).length, outcomes.length);
      return await countRows(sql, "webhook\\_%") - before;
    });

  // Postgres plans each of the first five calls separately, and may then keep one plan for all later calls.
  for (const outcome of await lease(7)) await countReads([outcome]);
  const leased = await lease(DELIVERIES);
  const read = await countReads(leased.slice(-GROUP));
  assert.ok(read <= 10 * GROUP, `${read} rows read for ${GROUP} outcomes`);
});
