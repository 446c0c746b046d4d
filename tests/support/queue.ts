// Shared by the tests of the queue's statements.
import type postgres from "postgres";
import type { ClaimedDelivery, RecordedOutcome } from "../../supabase/functions/webhook-dispatcher/queue.ts";

export type Claimed = Pick<ClaimedDelivery, "workspace_id" | "delivery_id" | "lease_token">;

/** Inserts a subscription of a workspace, with a secret. */
export async function addSubscription(sql: postgres.ISql, workspaceId: string): Promise<string> {
  const [row] = await sql<[{ id: string }]>`
    insert into crm.webhook_subscriptions (workspace_id, event_types, target_url)
    values (${workspaceId}, '{contact.created}', 'https://hooks.example.com/') returning id`;
  await sql`
    insert into crm.webhook_secrets (workspace_id, subscription_id, secret) values (${workspaceId}, ${row.id}, '\\x01')`;
  return row.id;
}

export interface Lease {
  /** How long from now the lease ends, as a Postgres interval. */
  lease?: string;
  token?: number;
  attempts?: number;
}

/** Inserts deliveries of one subscription, each of a different event. Leases them as a claim does if `lease` is set. */
export async function addDeliveries(
  sql: postgres.ISql,
  workspaceId: string,
  subscriptionId: string,
  count: number,
  { attempts = 0, lease, token = 1 }: Lease = {},
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    with event as (
      insert into crm.events (workspace_id, event, object_id, facts)
      select ${workspaceId}, 'contact.created', gen_random_uuid(), '{}' from generate_series(1, ${count}::int)
      returning workspace_id, id
    )
    insert into crm.webhook_deliveries (workspace_id, id, event_id, subscription_id, attempts)
    select workspace_id, crm.delivery_id(id, ${subscriptionId}), id, ${subscriptionId}, ${attempts}
    from event returning id`;
  const ids = rows.map(({ id }) => id);
  if (lease !== undefined) await leaseDeliveries(sql, ids, lease, token);
  return ids;
}

/** Leases deliveries as a claim does. */
export async function leaseDeliveries(
  sql: postgres.ISql,
  ids: string[],
  lease: string,
  token: number,
): Promise<void> {
  await sql`
    update crm.webhook_queue
    set state = 'leased', lease_until = clock_timestamp() + ${lease}::text::interval, lease_token = ${token},
      claim_horizon = crm.feed_horizon()
    where delivery_id in ${sql(ids)}`;
}

/** Claims deliveries as a dispatcher does; returns the claimed deliveries of these workspaces. */
export const claim = (sql: postgres.ISql, workspaceIds: string[], batch = 1000) =>
  sql<Claimed[]>`select * from crm.delivery_claim(${batch}) where workspace_id in ${sql(workspaceIds)}`;

/** An outcome as crm.delivery_record takes it; a success if it has no reason. */
export interface Outcome {
  workspace_id: string;
  delivery_id: string;
  lease_token: string | number;
  status?: number;
  reason?: string;
  answer?: string;
}

/** What crm.delivery_record did with an outcome. */
type Recorded = RecordedOutcome & { lease_token: string };

/** Records outcomes in one statement, as a dispatcher does; returns no row for an outcome whose lease was lost. */
export async function recordOutcomes(sql: postgres.ISql, outcomes: Outcome[]): Promise<Recorded[]> {
  const json = JSON.stringify(outcomes.map((outcome) => ({ ...outcome, duration_ms: 5 })));
  return [...await sql<Recorded[]>`select * from crm.delivery_record(${json}::text::json)`];
}
