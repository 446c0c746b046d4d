import type { Sql } from "postgres";
import { atMost, type Measurement, ratio } from "../../harness/figures.ts";
import { eventually } from "../../harness/waiting.ts";

/** Maximum ratio of dead to live rows, in tables whose rows are updated and kept. */
const DEAD: Record<string, number> = {
  rate_limits: 1,
  webhook_subscriptions: 1,
  webhook_deliveries: 0.25,
  contacts: 0.25,
  search_texts: 0.25,
};
/** Tables whose updates should write no index (HOT), and the smallest allowed share of HOT updates. */
const HOT = ["rate_limits", "webhook_deliveries", "webhook_subscriptions", "key_counters"];
const HOT_SHARE = 0.9;
/** Maximum MiB, with indexes, of tables that hold only current work, not stored data. */
const SIZES_AT_THE_END: Record<string, number> = { rate_limits: 2, webhook_queue: 16 };

interface TableUse {
  live: number;
  /** Dead rows, as estimated by the statistic that triggers autovacuum. */
  dead: number;
  updated: number;
  hot: number;
  bytes: number;
}

export type Tables = Map<string, TableUse>;

export async function readTables(sql: Sql): Promise<Tables> {
  const rows = await sql<(TableUse & { name: string })[]>`
    select
      regexp_replace(t.relname, '_(\\d{4}_\\d\\d_\\d\\d|default)$', '') as name,
      sum(t.n_live_tup)::float8 as live,
      sum(t.n_dead_tup)::float8 as dead,
      sum(t.n_tup_upd)::float8 as updated,
      sum(t.n_tup_hot_upd)::float8 as hot,
      sum(pg_total_relation_size(t.relid))::float8 as bytes
    from pg_stat_user_tables t
    where t.schemaname = 'crm'
    group by 1`;
  return new Map(rows.map((row) => [row.name, row]));
}

export function tableFigures(before: Tables, after: Tables): Measurement[] {
  const use = (name: string) => after.get(name)!;
  const grown = (name: string, field: "updated" | "hot") =>
    use(name)[field] - (before.get(name)?.[field] ?? 0);
  return [
    ...Object.entries(DEAD).map(([name, target]) =>
      ratio(`Dead rows of ${name} ÷ live ones at the end`, use(name).dead / use(name).live, "lower", target)
    ),
    ...HOT.map((name) => {
      // 1 if nothing was updated: a short run may end before a job has changed anything.
      const share = grown(name, "updated") === 0 ? 1 : grown(name, "hot") / grown(name, "updated");
      return ratio(`Updates of ${name} that write no index ÷ all`, share, "higher", HOT_SHARE);
    }),
    ...Object.entries(SIZES_AT_THE_END).map(([name, target]) =>
      atMost(`Size of ${name} at the end`, use(name).bytes / 2 ** 20, "MiB", target)
    ),
  ];
}

/** Bytes of write-ahead log so far, without the full-page images that follow a checkpoint. */
export async function readWal(sql: Sql): Promise<number> {
  const [row] = await sql<[{ bytes: number }]>`
    select wal_bytes::float8 - wal_fpi::float8 * current_setting('block_size')::float8 as bytes from pg_stat_wal`;
  return row.bytes;
}

export interface Deliveries {
  delivered: number;
  /** Pending, failed or cancelled. */
  undelivered: number;
  /** Events of a subscribed type that have no delivery. */
  lost: number;
  /** Seconds from the change to the start of the attempt that succeeded. */
  p50: number;
  p99: number;
}

export async function readDeliveries(sql: Sql, since: Date): Promise<Deliveries> {
  const [row] = await sql<[Deliveries]>`
    with told as (
      select d.state, extract(epoch from a.finished_at - d.created_at) - a.duration_ms / 1000.0 as lag
      from crm.webhook_deliveries d
      left join crm.webhook_attempts a
        on a.workspace_id = d.workspace_id and a.delivery_id = d.id and a.status between 200 and 299
      where d.created_at >= ${since}
    ),
    untold as (
      select from crm.events e
      join crm.webhook_subscriptions s on s.workspace_id = e.workspace_id and e.event::text = any (s.event_types::text[])
      where e.occurred_at >= ${since}
        and not exists (
          select from crm.webhook_deliveries d
          where d.workspace_id = e.workspace_id and d.id = crm.delivery_id(e.id, s.id)
        )
    )
    select
      count(*) filter (where state = 'delivered')::float8 as delivered,
      count(*) filter (where state <> 'delivered')::float8 as undelivered,
      (select count(*) from untold)::float8 as lost,
      coalesce(percentile_cont(0.5) within group (order by lag), 0)::float8 as p50,
      coalesce(percentile_cont(0.99) within group (order by lag), 0)::float8 as p99
    from told`;
  return row;
}

export async function allDelivered(sql: Sql): Promise<void> {
  const isEmpty = async () => (await sql`select from crm.webhook_queue limit 1`).length === 0;
  await eventually(isEmpty, "the deliveries", 120);
}
