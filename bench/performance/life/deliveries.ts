import type { Sql } from "postgres";

/** What became of the deliveries since a moment. */
export interface Deliveries {
  delivered: number;
  /** Pending, failed or cancelled. */
  undelivered: number;
  /** Events of a type that its workspace is told of, without a delivery. */
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

/** Deliveries that wait or are under way. */
export async function countQueued(sql: Sql): Promise<number> {
  const [{ count }] = await sql<
    [{ count: number }]
  >`select count(*)::integer as count from crm.webhook_queue`;
  return count;
}
