import { join } from "node:path";
import type { TransactionSql } from "postgres";
import { startOwnPostgres } from "../../../run/local/own_postgres.ts";
import { startPostgres, stopPostgres, superuserUrl } from "../../../run/local/postgres.ts";
import { connect } from "../../harness/world.ts";
import { insertRows, seeded } from "./seed.ts";
import { SCOPES } from "../../../supabase/functions/_shared/contract/scopes.ts";
import type { Conditions } from "../../harness/run_subjects.ts";

/** Enough keys for every call of a size, because each key may make only 120 calls a minute. */
export const KEYS = 1_000;

/** The other tables to fill. A key names the function of seed.sql that fills its tables, such as `seed_traces`. */
const OTHERS = {
  traces: ["events", "idempotency_keys", "lead_receipts"],
  deliveries: ["webhook_deliveries"],
};
const TABLES = [
  "search_texts",
  "record_values",
  ...seeded.map(({ about }) => about.table),
  ...Object.values(OTHERS).flat(),
]
  .map((table) => `crm.${table}`);

/** A database, and how many records the calling workspace has in it. */
export interface Size {
  name: string;
  url: string;
  contacts: number;
  others: number;
  /** Whether its records are indexed for searches. */
  searched: boolean;
}

/** The rows of a database, over all its workspaces. */
interface Amounts {
  workspaces: number;
  contacts: number;
  others: number;
  /** How many records of a kind a workspace has, if it has any of that kind. */
  each: number;
  /** How many workspaces are indexed for searches: not all, because indexing ten million texts takes half an hour. */
  searched: number;
}

const SMALLEST = 1_000;

function alone(contacts: number, others: number, searched = 1): Amounts {
  return { workspaces: 1, contacts, others, each: contacts, searched };
}

const SMALL = [alone(SMALLEST, SMALLEST), alone(100_000, 100_000)];
const LARGE = [alone(1_000_000, 1_000_000), alone(10_000_000, 1_000_000, 0)];
const SHARED = { workspaces: 10_000, contacts: 10_000_000, others: 1_000_000, each: SMALLEST, searched: 300 };
const SHORT_SHARED = { workspaces: 100, contacts: 100_000, others: 100_000, each: SMALLEST, searched: 100 };

export function makeSmallest(cluster: Cluster, note: Conditions["note"]): Promise<Size> {
  return makeSize(cluster, SMALL[0]!, note);
}

/** Creates the databases: those with one workspace, the smallest first, then the one with many workspaces. */
export async function makeSizes(cluster: Cluster, { short, note }: Conditions): Promise<Size[]> {
  const make = (amounts: Amounts) => makeSize(cluster, amounts, note);
  const small = await Array.fromAsync(SMALL, make);
  if (short) return [...small, await make(SHORT_SHARED)];
  // Makes two databases at a time, because each uses one processor.
  const [large, shared] = await Promise.all([Array.fromAsync(LARGE, make), make(SHARED)]);
  return [...small, ...large, shared];
}

async function makeSize(cluster: Cluster, amounts: Amounts, note: Conditions["note"]): Promise<Size> {
  const { workspaces, contacts, others, each, searched } = amounts;
  const url = await cluster.createDatabase(`of_${workspaces}_${contacts}`);
  await seed(url, amounts);
  const name = workspaces === 1 ? `${show(contacts)} contacts` : `${show(workspaces)} workspaces`;
  note(`${name} are created`);
  return { name, url, contacts: each, others: Math.min(each, others), searched: searched > 0 };
}

export function show(records: number): string {
  return records.toLocaleString("en-US");
}

async function seed(url: string, { workspaces, contacts, others, each, searched }: Amounts): Promise<void> {
  await using sql = connect(url);
  await sql.begin(async (sql) => {
    // Disables triggers, because a million rows would emit a million events.
    await sql`set local session_replication_role = replica`;
    await sql`set local maintenance_work_mem = '512MB'`;
    // Truncated, because with wal_level minimal Postgres then writes no log for the tables in this transaction.
    await sql.unsafe(`truncate ${TABLES.join(", ")} cascade`);
    await sql`select bench.seed_workspaces(${workspaces}, ${KEYS}, ${[...SCOPES]})`;
    const indexes = await dropIndexes(sql);
    const spread = (records: number) => Math.max(1, records / each);
    for (const record of seeded) {
      const rows = record.name === "contact" ? contacts : others;
      await sql.unsafe(insertRows(record), [1, rows, spread(rows)]);
    }
    for (const kind of Object.keys(OTHERS)) {
      await sql`select ${sql(`bench.seed_${kind}`)}(1, ${others}, ${spread(others)})`;
    }
    await sql`select bench.seed_search(${searched})`;
    for (const index of indexes) await sql.unsafe(index);
  });
  await sql`vacuum (freeze, analyze)`;
  await sql`checkpoint`;
}

/**
 * Drops the indexes: creating them after the inserts takes a fraction of the time.
 * @returns statements that create the indexes in their old order, by which the planner breaks ties
 */
async function dropIndexes(sql: TransactionSql): Promise<string[]> {
  const indexes = await sql<{ name: string; definition: string }[]>`
    select indexrelid::regclass::text as name, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as definition
    from pg_index where indrelid = any (${TABLES}::text[]::regclass[]) and not indisunique
    order by indexrelid`;
  for (const { name } of indexes) await sql.unsafe(`drop index ${name}`);
  return indexes.map(({ definition }) => definition);
}

/**
 * Settings to insert millions of rows in minutes. They favour no size, because with them no call waits for the disk,
 * and no vacuum runs during a call.
 */
const SETTINGS = {
  wal_level: "minimal",
  max_wal_senders: "0",
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  max_wal_size: "8GB",
  checkpoint_timeout: "1h",
  autovacuum: "off",
};

export type Cluster = Awaited<ReturnType<typeof startCluster>>;

/** Starts a Postgres for data that may be lost, with one database for each size. */
export async function startCluster() {
  await using stack = new AsyncDisposableStack();
  const own = await startOwnPostgres("crm-growth-");
  stack.defer(own.close);
  {
    await using sql = connect(own.adminUrl);
    await sql.unsafe(await Deno.readTextFile(join(import.meta.dirname!, "seed.sql")));
    for (const [name, value] of Object.entries(SETTINGS)) {
      await sql.unsafe(`alter system set ${name} = '${value}'`);
    }
  }
  // Restarts Postgres, because a change of wal_level requires it. Afterwards it listens on another port.
  await stopPostgres(own.dataDir);
  const { databaseUrl } = await startPostgres(own.dataDir, own.secrets);
  const admin = new URL(superuserUrl(databaseUrl, own.secrets));
  const opened = stack.move();
  return {
    /** Creates a database with the migrations and seed.sql. @returns its URL, as the superuser */
    async createDatabase(name: string): Promise<string> {
      admin.pathname = "template1";
      await using sql = connect(admin.href);
      await sql.unsafe(`create database ${name} template postgres strategy file_copy`);
      admin.pathname = name;
      return admin.href;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
