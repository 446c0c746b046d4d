import type { TransactionSql } from "postgres";
import { connect } from "../../harness/world.ts";

/** Calls that one key may make in a minute are few; there are keys enough for every call of a size. */
export const KEYS = 100;

/** What is filled by which function of seed.sql, beside contacts. */
const OTHERS = {
  companies: ["companies"],
  deals: ["deals"],
  activities: ["activities"],
  notes: ["notes"],
  traces: ["events", "idempotency_keys", "lead_receipts"],
};
const TABLES = ["contacts", ...Object.values(OTHERS).flat()].map((table) => `crm.${table}`);

/** How much a database is to hold, of all its workspaces together. */
export interface Amounts {
  workspaces: number;
  contacts: number;
  /** Records of every other resource. */
  others: number;
  /** Records of a kind in each workspace that has some; of what there is less of, fewer have. */
  each: number;
}

/** Fills an empty database. */
export async function seed(url: string, { workspaces, contacts, others, each }: Amounts): Promise<void> {
  await using sql = connect(url);
  await sql.begin(async (sql) => {
    // No triggers: a million rows would be a million events.
    await sql`set local session_replication_role = replica`;
    await sql`set local maintenance_work_mem = '512MB'`;
    // Of a table that this transaction has emptied Postgres logs nothing.
    await sql.unsafe(`truncate ${TABLES.join(", ")} cascade`);
    await sql`select bench.seed_workspaces(${workspaces}, ${KEYS})`;
    const indexes = await dropIndexes(sql);
    const spread = (records: number) => Math.max(1, records / each);
    await sql`select bench.seed_contacts(1, ${contacts}, ${spread(contacts)})`;
    for (const kind of Object.keys(OTHERS)) {
      await sql`select ${sql(`bench.seed_${kind}`)}(1, ${others}, ${spread(others)})`;
    }
    for (const index of indexes) await sql.unsafe(index);
  });
  await sql`vacuum (freeze, analyze)`;
  await sql`checkpoint`;
}

/**
 * An index is made of all rows at once in a fraction of the time.
 * @returns the statements that make them again, in the order of the migrations, by which the planner breaks ties
 */
async function dropIndexes(sql: TransactionSql): Promise<string[]> {
  const indexes = await sql<{ name: string; definition: string }[]>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index where indrelid = any (${TABLES}::text[]::regclass[]) and not indisunique
    order by indexrelid`;
  for (const { name } of indexes) await sql.unsafe(`drop index ${name}`);
  return indexes.map(({ definition }) => definition);
}
