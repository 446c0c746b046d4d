import type { Sql } from "postgres";
import { atMost, type Measurement, ratio, sum } from "../../harness/figures.ts";
import type { Conditions } from "../../harness/subject.ts";

/** Rows that a vacuum has not removed, of those that live, in the tables whose rows are changed and stay. */
const DEAD: Record<string, number> = {
  rate_limits: 1,
  webhook_subscriptions: 1,
  webhook_deliveries: 0.25,
  contacts: 0.25,
  search_texts: 0.25,
};
/** Tables of which an update should write no index. */
const HOT = ["rate_limits", "webhook_deliveries", "webhook_subscriptions", "key_counters"];
/** The smallest share of such updates among all. */
const HOT_SHARE = 0.9;
/** MiB with indexes of tables whose size is that of what is going on, not of what is stored. */
const SIZES_AT_THE_END: Record<string, number> = { rate_limits: 2, webhook_queue: 16 };

/** What Postgres counts of a table, its partitions together. */
export interface TableUse {
  /** Without its schema, and of a partition without its day. */
  name: string;
  live: number;
  /** Row versions that a vacuum has not removed, by the estimate on which autovacuum decides. */
  dead: number;
  inserted: number;
  updated: number;
  /** Of the updates, those that wrote no index. */
  hot: number;
  deleted: number;
  /** With indexes. */
  bytes: number;
  vacuums: number;
}

/** Reads the use of every table of the schema crm that has been written. */
export async function readTables(sql: Sql): Promise<Map<string, TableUse>> {
  const rows = await sql<TableUse[]>`
    select
      regexp_replace(t.relname, '_(\\d{4}_\\d\\d_\\d\\d|default)$', '') as name,
      sum(t.n_live_tup)::float8 as live,
      sum(t.n_dead_tup)::float8 as dead,
      sum(t.n_tup_ins)::float8 as inserted,
      sum(t.n_tup_upd)::float8 as updated,
      sum(t.n_tup_hot_upd)::float8 as hot,
      sum(t.n_tup_del)::float8 as deleted,
      sum(pg_total_relation_size(t.relid))::float8 as bytes,
      sum(t.autovacuum_count)::float8 as vacuums
    from pg_stat_user_tables t
    where t.schemaname = 'crm'
    group by 1
    having sum(t.n_tup_ins + t.n_tup_upd + t.n_tup_del) > 0
    order by 1`;
  return new Map(rows.map((row) => [row.name, row]));
}

/** Bytes of write-ahead log so far, and those of whole pages, which follow a checkpoint. */
export async function readWal(sql: Sql): Promise<{ bytes: number; pages: number }> {
  const [row] = await sql<[{ bytes: number; pages: number }]>`
    select wal_bytes::float8 as bytes, wal_fpi::float8 * current_setting('block_size')::float8 as pages from pg_stat_wal`;
  return row;
}

/** Prints what became of each table that was written. */
export function describeTables(
  before: Map<string, TableUse>,
  after: Map<string, TableUse>,
  note: Conditions["note"],
): void {
  for (const [name, use] of after) {
    const from = before.get(name);
    const grown = (field: Exclude<keyof TableUse, "name">) => use[field] - (from?.[field] ?? 0);
    if (sum([grown("inserted"), grown("updated"), grown("deleted")]) === 0) continue;
    note(
      `${name}: ${grown("inserted")} inserted, ${grown("updated")} updated (${
        Math.round(grown("hot") * 100 / Math.max(1, grown("updated")))
      } % HOT), ${grown("deleted")} deleted; ${use.live} live, ${use.dead} dead, ${
        mebibytes(from?.bytes ?? 0)
      } → ${mebibytes(use.bytes)}, ${grown("vacuums")} vacuums`,
    );
  }
}

/** The figures of the tables that change. */
export function tableFigures(before: Map<string, TableUse>, after: Map<string, TableUse>): Measurement[] {
  const use = (name: string) => after.get(name)!;
  const grown = (name: string, field: "updated" | "hot") =>
    (after.get(name)?.[field] ?? 0) - (before.get(name)?.[field] ?? 0);
  return [
    ...Object.entries(DEAD).map(([name, target]) =>
      ratio(`Dead rows of ${name} ÷ live ones at the end`, use(name).dead / use(name).live, "lower", target)
    ),
    ...HOT.map((name) => {
      // A short run may end before a job has changed anything.
      const share = grown(name, "updated") === 0 ? 1 : grown(name, "hot") / grown(name, "updated");
      return ratio(`Updates of ${name} that write no index ÷ all`, share, "higher", HOT_SHARE);
    }),
    ...Object.entries(SIZES_AT_THE_END).map(([name, target]) =>
      atMost(`Size of ${name} at the end`, Math.round(use(name).bytes / 2 ** 20 * 100) / 100, "MiB", target)
    ),
  ];
}

/** With its unit, for a line that is printed. */
export function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
