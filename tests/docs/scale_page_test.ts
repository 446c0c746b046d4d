// Counts the bytes that docs/scale.md multiplies by a billion.
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { openWorld } from "../../bench/harness/world.ts";
import { readPage } from "./page.ts";

const TABLES = ["crm.events", "crm.webhook_deliveries", "crm.webhook_attempts"];
/** Rows of each table, and how many are written at a time. */
const [ROWS, STEP] = [20_000, 1_000];
/** How far a count may be from the page: indexes that few rows fill differ by their last pages. */
const TOLERANCE = 0.15;

Deno.test("An event, a delivery and an attempt take the bytes that docs/scale.md says", async () => {
  const page = await readPage("scale.md");
  await using world = await openWorld({ max: 1 });
  const { sql } = world;
  const before = await sizes(sql);
  for (let made = 0; made < ROWS; made += STEP) {
    await deliverSome(sql, STEP);
    // As autovacuum does, once a fifth of the table is dead: a delivery is written when it is made and when it ends.
    if (made % (ROWS / 5) === 0) await sql`vacuum crm.webhook_deliveries`;
  }
  const after = await sizes(sql);
  for (const table of TABLES) {
    const [, said] = new RegExp(`^\\| \`${table}\` \\| (\\d+) \\|$`, "m").exec(page) ?? [];
    const counted = (after.get(table)! - before.get(table)!) / ROWS;
    assert.ok(
      Math.abs(counted / Number(said) - 1) < TOLERANCE,
      `${table}: ${counted} bytes, the page says ${said}`,
    );
  }
});

/** The bytes of each table's partitions, with their indexes. */
async function sizes(sql: Sql): Promise<Map<string, number>> {
  const rows = await sql<{ name: string; bytes: number }[]>`
    select inhparent::regclass::text as name, sum(pg_total_relation_size(inhrelid))::float8 as bytes
    from pg_inherits where inhparent = any(${TABLES}::regclass[]) group by 1`;
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}

/** Events of a thousand workspaces, each with a delivery whose first attempt succeeds. */
async function deliverSome(sql: Sql, count: number): Promise<void> {
  const made = await sql<{ workspace: string; id: string }[]>`
    with event as (
      insert into crm.events (workspace_id, event, object_id, facts, caller_id)
      select ('00000000-0000-7000-8000-' || lpad((random() * 1000)::integer::text, 12, '0'))::uuid, 'deal.won',
        crm.uuid_v7(), '{"changed_fields": ["stage_id", "value"]}', crm.uuid_v7()
      from generate_series(1, ${count}::integer)
      returning workspace_id, id
    )
    insert into crm.webhook_deliveries (workspace_id, id, event_id, subscription_id)
    select e.workspace_id, crm.delivery_id(e.id, e.workspace_id), e.id, e.workspace_id from event e
    returning workspace_id as workspace, id`;
  const [workspaces, ids] = [made.map(({ workspace }) => workspace), made.map(({ id }) => id)];
  await sql`
    insert into crm.webhook_attempts (workspace_id, delivery_id, series, number, status, duration_ms)
    select workspace_id, id, 1, 1, 204, 80 from unnest(${workspaces}::uuid[], ${ids}::uuid[]) u (workspace_id, id)`;
  await sql`
    update crm.webhook_deliveries d set state = 'delivered', attempts = 1
    from unnest(${workspaces}::uuid[], ${ids}::uuid[]) u (workspace_id, id)
    where d.workspace_id = u.workspace_id and d.id = u.id`;
}
