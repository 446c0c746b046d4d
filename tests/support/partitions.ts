// Shared by the tests of partitions. Each test locks, makes and drops partitions, so it needs a database of its own.
import type { ISql, Sql } from "postgres";
import { makeWorkspace } from "./fixtures.ts";
import { addSubscription } from "./queue.ts";

/** The partitioned tables that an event fills, in this order. */
export const TABLES = ["crm.events", "crm.webhook_deliveries", "crm.webhook_attempts"] as const;

/** What crm.manage_partitions() did. */
export interface Managed {
  made: number;
  /** A bigint. */
  moved: string;
  dropped: number;
  hindrance: string | null;
}

/**
 * Runs the partition job for a table.
 * @param now an SQL expression for the job's current time
 */
export async function manage(sql: ISql, table: string, now = "now()", maxRows = 100_000): Promise<Managed> {
  const [row] = await sql.unsafe<[Managed]>(
    `select * from crm.manage_partitions('${table}', ${now}, ${maxRows})`,
  );
  return { ...row };
}

/** The days of a table's partitions, oldest first: `2026-11-22`. */
export async function daysOf(sql: ISql, table: string): Promise<string[]> {
  const rows = await sql<{ day: string }[]>`
    select day::text from crm.partitions_of(${table}::text::regclass)`;
  return rows.map(({ day }) => day);
}

/** Drops every partition with its rows, and empties the default partitions and the queue. */
export async function dropAll(sql: ISql): Promise<void> {
  for (const table of TABLES) {
    const rows = await sql<{ name: string }[]>`
      select partition::text as name from crm.partitions_of(${table}::text::regclass)`;
    for (const { name } of rows) await sql.unsafe(`drop table ${name}`);
    await sql.unsafe(`delete from ${table}_default`);
  }
  await sql`delete from crm.webhook_queue`;
}

/** Makes a database look as if the partition jobs last ran `days` days ago, and removes all events and deliveries. */
export async function sleepFor(sql: ISql, days: number): Promise<void> {
  await dropAll(sql);
  for (const table of TABLES) await manage(sql, table, `now() - interval '${days} days'`);
}

/** Creates a workspace with a subscription to contact.created. */
export async function makeSubscriber(sql: Sql): Promise<{ workspaceId: string; subscriptionId: string }> {
  const { id: workspaceId } = await makeWorkspace(sql);
  const subscriptionId = await addSubscription(sql, workspaceId);
  return { workspaceId, subscriptionId };
}

/** Inserts an event and its delivery, both dated now, as a trigger does. */
export async function emit(sql: ISql, workspaceId: string): Promise<void> {
  await sql`select crm.emit(${workspaceId}, 'contact.created', gen_random_uuid())`;
}
