import type { Sql } from "postgres";
import { hasTable } from "../local/sql.ts";
import { StackError } from "../local/stack_error.ts";
import { repeat, withLock } from "./fence.ts";
import type { Table } from "./tables.ts";

/**
 * Makes at the target each day's partition that the source has. Otherwise the copy would fill the target's default
 * partitions, and moving rows out of a default partition blocks all requests.
 */
export async function makePartitions(source: Sql, target: Sql, tables: readonly Table[]): Promise<void> {
  for (const { name } of tables) {
    if (!await hasTable(source, `${name}_default`)) continue;
    // Empties the source's default partition now, so that the hourly job does not do it during the move: the copy would
    // miss the rows that the job moves. While the slot is frozen, the fence would also keep the job from deleting rows
    // of the default partition, and `attach` would fail.
    await emptyDefault(source, name);
    const there = await daysOf(target, name);
    // One day at a time, because requests wait for the lock.
    for (const day of (await daysOf(source, name)).filter((day) => !there.includes(day))) {
      await withLock(target, async (sql) => {
        const [{ owner }] = await sql<[{ owner: string }]>`
          select relowner::regrole::text as owner from pg_class where oid = ${name}::regclass
        `;
        // As a replica, so that no fence keeps rows in the default partition. As the table's owner, because the owner
        // must also own the new partition. Takes the locks that crm.manage_partitions takes.
        await sql.unsafe(`set local session_replication_role = replica; set local role ${owner}`);
        if (name === "crm.events") await sql`select crm.lock_texts()`;
        await sql.unsafe(`lock table only ${name}, ${name}_default in access exclusive mode`);
        await sql`select crm.make_partition(${name}::regclass, ${day}::date)`;
      });
    }
  }
}

/** Moves the rows of a default partition into partitions of their days. Repeats it while others lock the table. */
async function emptyDefault(source: Sql, table: string): Promise<void> {
  await repeat(async () => {
    const [{ hindrance }] = await source<[{ hindrance: string | null }]>`
      select hindrance from crm.manage_partitions(${table}::regclass)
    `;
    if (hindrance === null) return null;
    if (hindrance.endsWith(TOO_MANY)) {
      throw new StackError(
        `The move has not begun: ${hindrance}. \`deno task doctor\` says how to move the rows`,
      );
    }
    return new StackError(`The move has not begun: ${hindrance}. Try again later`);
  });
}

/** How crm.manage_partitions ends the text about a default partition with more rows than it moves. */
const TOO_MANY = "has too many rows";

async function daysOf(sql: Sql, table: string): Promise<string[]> {
  return (await sql`select day::text as day from crm.partitions_of(${table}::regclass)`).map((row) =>
    row["day"]
  );
}
