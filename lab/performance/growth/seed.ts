import type { TransactionSql } from "postgres";
import { once } from "./cluster.ts";

/** Calls that one key may make in a minute are few; there are keys enough for every call of a size. */
export const KEYS = 100;

/** What is filled by which function of seed.sql. */
const FILLS = {
  contacts: ["contacts"],
  companies: ["companies"],
  deals: ["deals"],
  activities: ["activities"],
  notes: ["notes"],
  traces: ["events", "idempotency_keys", "lead_receipts"],
} as const;

type Fill = keyof typeof FILLS;

/** Rows `first` to `last` of a table, of so many workspaces by turns. */
export interface Batch {
  fill: Fill;
  first?: number;
  last: number;
  /** 1 where absent. */
  workspaces?: number;
}

/** A batch for everything that there is, but contacts. */
export function others(last: number, workspaces = 1): Batch[] {
  const fills = Object.keys(FILLS) as Fill[];
  return fills.filter((fill) => fill !== "contacts").map((fill) => ({ fill, last, workspaces }));
}

/**
 * Adds rows to a database.
 * @param workspaces how many of them are made first; with any, every table is emptied before
 */
export async function seed(url: string, batches: Batch[], workspaces = 0): Promise<void> {
  await once(url, async (sql) => {
    await sql.begin(async (sql) => {
      // No triggers: a million rows would be a million events.
      await sql`set local session_replication_role = replica`;
      await sql`set local maintenance_work_mem = '512MB'`;
      const tables = [...new Set(batches.flatMap(({ fill }) => FILLS[fill]))].map((table) => `crm.${table}`);
      if (workspaces > 0) {
        // Of a table that this transaction has emptied Postgres logs nothing.
        await sql.unsafe(`truncate ${tables.join(", ")} cascade`);
        await sql`select bench.seed_workspaces(${workspaces}, ${KEYS})`;
      }
      const indexes = await dropIndexes(sql, tables);
      for (const { fill, first = 1, last, workspaces = 1 } of batches) {
        await sql`select ${sql(`bench.seed_${fill}`)}(${first}, ${last}, ${workspaces})`;
      }
      for (const index of indexes) await sql.unsafe(index);
    });
    await sql`vacuum (freeze, analyze)`;
    await sql`checkpoint`;
  });
}

/** An index is made of all rows at once in a fraction of the time. @returns the statements that make them again */
async function dropIndexes(sql: TransactionSql, tables: string[]): Promise<string[]> {
  const indexes = await sql<{ name: string; definition: string }[]>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index where indrelid = any (${tables}::text[]::regclass[]) and not indisunique`;
  for (const { name } of indexes) await sql.unsafe(`drop index ${name}`);
  return indexes.map(({ definition }) => definition);
}
