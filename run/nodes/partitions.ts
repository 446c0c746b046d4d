import type { Sql } from "postgres";
import { StackError } from "../local/stack_error.ts";
import { withLock } from "./fence.ts";
import type { Table } from "./tables.ts";

/** How often, and how long after, it is tried again to empty a default partition. */
const ATTEMPTS = 10;
const PAUSE_MS = 1_000;

/**
 * Makes at the target each day's partition that the source has. Otherwise the copy would fill the default partitions.
 * Before an old day could be dropped, its rows would have to be moved to a partition, which blocks everybody.
 */
export async function makePartitions(source: Sql, target: Sql, tables: readonly Table[]): Promise<void> {
  for (const { name } of tables) {
    const [{ is_partitioned }] = await source<[{ is_partitioned: boolean }]>`
      select to_regclass(${`${name}_default`}) is not null as is_partitioned
    `;
    if (!is_partitioned) continue;
    // Empties the source's default partition. While the slot is frozen, the fence would keep rows there, and the job's
    // `attach` would fail. During the copy, rows that the job moves to a new partition would not be replicated.
    await emptyDefault(source, name);
    const there = await daysOf(target, name);
    // One day at a time, because requests wait for the lock.
    for (const day of (await daysOf(source, name)).filter((day) => !there.includes(day))) {
      await withLock(target, async (sql) => {
        const [{ owner }] = await sql<[{ owner: string }]>`
          select relowner::regrole::text as owner from pg_class where oid = ${name}::regclass
        `;
        // As a replica, so that no fence keeps rows in the default partition. As the table's owner, who must own the
        // partition too. The locks below are the same as in crm.manage_partitions.
        await sql.unsafe(`set local session_replication_role = replica; set local role ${owner}`);
        if (name === "crm.events") await sql`select crm.lock_texts()`;
        await sql.unsafe(`lock table only ${name}, ${name}_default in access exclusive mode`);
        await sql`select crm.make_partition(${name}::regclass, ${day}::date)`;
      });
    }
  }
}

/** Gives the rows of a default partition partitions of their own. Another lock on the table may hinder it for a while. */
async function emptyDefault(source: Sql, table: string): Promise<void> {
  for (let attempt = 1;; attempt++) {
    const [{ hindrance }] = await source<[{ hindrance: string | null }]>`
      select hindrance from crm.manage_partitions(${table}::regclass)
    `;
    if (hindrance === null) return;
    if (attempt === ATTEMPTS) throw new StackError(`The move has not begun: ${hindrance}. Try again later`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** The days for which a table has a partition. */
async function daysOf(sql: Sql, table: string): Promise<string[]> {
  return (await sql`select day::text as day from crm.partitions_of(${table}::regclass)`).map((row) =>
    row["day"]
  );
}
