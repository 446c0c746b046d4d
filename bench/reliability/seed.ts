import type { Sql } from "postgres";

export const PARTITIONED = ["events", "webhook_deliveries", "webhook_attempts"];

/** A group of workspaces with subscriptions. No dispatcher delivers to them, because their host names cannot exist. */
export interface Group {
  /** The workspaces have this name, and the hosts' names start with it. */
  name: string;
  workspaces: number;
  subscriptionsEach: number;
}

/**
 * Creates workspaces with a member, and with subscriptions to `contact.created`, each at a different host.
 * @returns the ids of the workspaces
 */
export async function seedGroup(sql: Sql, { name, workspaces, subscriptionsEach }: Group): Promise<string[]> {
  const members = await sql<{ workspace_id: string }[]>`
    with w as (
      insert into crm.workspaces (name) select ${name} from generate_series(1, ${workspaces}::int) returning id
    )
    insert into crm.members (workspace_id, name, email, role)
    select id, 'Ana', id || '@chaos.invalid', 'admin' from w returning workspace_id`;
  await sql`
    with s as (
      insert into crm.webhook_subscriptions (workspace_id, event_types, target_url)
      select w.id, '{contact.created}', 'https://' || ${name} || '-' || row_number() over () || '.invalid/'
      from crm.workspaces w, generate_series(1, ${subscriptionsEach}::int)
      where w.name = ${name}
      returning workspace_id, id
    )
    insert into crm.webhook_secrets (workspace_id, subscription_id, secret) select workspace_id, id, '\\x00' from s`;
  return members.map((row) => row.workspace_id);
}

/**
 * Creates and fills the partitions for a past day (UTC). Each event has one delivery with one attempt. The
 * subscriptions take turns.
 */
export async function seedDay(sql: Sql, daysAgo: number, events: number): Promise<void> {
  const [{ day, suffix }] = await sql<[{ day: string; suffix: string }]>`
    select day::text, to_char(day, 'YYYY_MM_DD') as suffix
    from (select (now() at time zone 'UTC')::date - ${daysAgo}::int as day) d`;
  // Attached after the rows are inserted: attaching then builds each index at once, not row by row.
  for (const table of PARTITIONED) {
    await sql.unsafe(`
      create table crm.${table}_${suffix} (like crm.${table} including all excluding indexes);
      call crm.protect('crm.${table}_${suffix}')`);
  }
  await sql.unsafe(`
    insert into crm.events_${suffix} (workspace_id, id, event, object_id, facts, occurred_at, position)
    select s.workspace_id, crm.uuid_v7(t.at), 'contact.created', s.id, '{}', t.at, 1
    from generate_series(0, ${events - 1}) n
    cross join lateral (select '${day}Z'::timestamptz + n * (interval '1 day' / ${events}) as at) t
    join (
      select *, row_number() over () - 1 as number, count(*) over () as total from crm.webhook_subscriptions
    ) s on s.number = n % s.total`);
  await sql.unsafe(`
    insert into crm.webhook_deliveries_${suffix} (workspace_id, id, event_id, subscription_id, state, attempts)
    select e.workspace_id, crm.delivery_id(e.id, e.object_id), e.id, e.object_id, 'delivered', 1
    from crm.events_${suffix} e`);
  await sql.unsafe(`
    insert into crm.webhook_attempts_${suffix} (workspace_id, delivery_id, series, number, status, duration_ms)
    select d.workspace_id, d.id, 1, 1, 200, 20 from crm.webhook_deliveries_${suffix} d`);
  for (const table of PARTITIONED) {
    await sql.unsafe(`
      alter table crm.${table} attach partition crm.${table}_${suffix}
      for values from (crm.uuid_v7_floor('${day}Z')) to (crm.uuid_v7_floor('${day}Z'::timestamptz + interval '1 day'))`);
  }
}

/** Does the work of the hourly jobs: makes missing partitions, and drops partitions that are too old. */
export async function managePartitions(sql: Sql): Promise<void> {
  for (const table of PARTITIONED) await sql`select crm.manage_partitions(${`crm.${table}`}::regclass)`;
}
