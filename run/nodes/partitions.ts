import type { Sql } from "postgres";
import { withLock } from "./fence.ts";
import type { Table } from "./tables.ts";

/**
 * Makes at the target each day's partition that the source has. Otherwise the copy would fill the default partitions.
 * Before an old day could be dropped, its rows would have to be moved to a partition, which blocks everybody.
 */
export async function makePartitions(source: Sql, target: Sql, tables: readonly Table[]): Promise<void> {
  for (const { name } of tables) {
    if ((await daysOf(source, name)).length === 0) continue;
    // Empties the source's default partition. While the slot is frozen, the fence would keep rows there, and the job's
    // `attach` would fail. During the copy, rows that the job moves to a new partition would not be replicated.
    await source`select crm.manage_partitions(${name}::regclass)`;
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

/** The days for which a table has a partition; none if it is not partitioned. */
async function daysOf(sql: Sql, table: string): Promise<string[]> {
  return (await sql`select day::text as day from crm.partitions_of(${table}::regclass)`).map((row) =>
    row["day"]
  );
}
