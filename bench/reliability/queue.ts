import type { PendingQuery, Row, Sql } from "postgres";
import { operate } from "../../run/operator/operator.ts";
import type { EventType } from "../../supabase/functions/_shared/contract/events.ts";
import { uuidV7 } from "../../supabase/functions/_shared/runtime/uuid.ts";
import { encryptSecret } from "../../supabase/functions/_shared/webhooks/secret.ts";

/**
 * Creates workspaces, each with `each` subscriptions to `contact.created`.
 * @param targetUrls assigned to the workspaces in turn
 * @param encryptionKey the dispatcher's key; absent: the key of this process
 * @returns the ids of the workspaces
 */
export async function createSubscribers(
  sql: Sql,
  targetUrls: string | string[],
  count: number,
  { each = 1, encryptionKey }: { each?: number; encryptionKey?: string } = {},
): Promise<string[]> {
  const urls = [targetUrls].flat();
  return await Promise.all(Array.from({ length: count }, async (_, made) => {
    const { id } = await operate(sql, "workspace_create", { name: "Chaos" });
    const subscription = {
      targetUrl: urls[made % urls.length]!,
      eventTypes: ["contact.created" as const],
      encryptionKey,
    };
    await Promise.all(Array.from({ length: each }, () => insertSubscription(sql, id, subscription)));
    return id;
  }));
}

/** @param encryptionKey the dispatcher's key; undefined: the key of this process */
export async function insertSubscription(
  sql: Sql,
  workspaceId: string,
  { targetUrl, eventTypes, encryptionKey }: {
    targetUrl: string;
    eventTypes: EventType[];
    encryptionKey: string | undefined;
  },
): Promise<void> {
  const id = uuidV7();
  const secret = await encryptSecret("whsec_chaos", id, encryptionKey);
  await sql`
    with s as (
      insert into crm.webhook_subscriptions (workspace_id, id, event_types, target_url)
      values (${workspaceId}, ${id}, ${eventTypes}, ${targetUrl}) returning workspace_id, id
    )
    insert into crm.webhook_secrets (workspace_id, subscription_id, secret)
    select workspace_id, id, decode(${secret}, 'base64') from s`;
}

/**
 * Creates events as the application does: writes `each` contacts in every workspace, in one transaction.
 * @param attempts how many attempts of each delivery have failed already
 */
export async function enqueue(sql: Sql, workspaces: string[], each: number, attempts = 0): Promise<void> {
  await sql.begin(async (sql) => {
    await sql`
      insert into crm.contacts (workspace_id, name, owner_id)
      select workspace_id, 'Contato', id from crm.members, generate_series(1, ${each}::int)
      where workspace_id = any (${workspaces})`;
    if (attempts > 0) {
      await sql`
        update crm.webhook_deliveries set attempts = ${attempts} where workspace_id = any (${workspaces})`;
    }
  });
}

export interface Delivery {
  id: string;
  subscription_id: string;
  state: "pending" | "delivered" | "failed" | "cancelled";
  attempts: number;
}

export async function deliveries(sql: Sql, workspaces: string[]): Promise<Delivery[]> {
  return await sql<Delivery[]>`
    select id, subscription_id, state, attempts from crm.webhook_deliveries
    where workspace_id = any (${workspaces})`;
}

/**
 * Counts the workspaces' deliveries that meet a condition.
 * @param condition SQL on a row of crm.webhook_deliveries
 */
export async function countDeliveries(
  sql: Sql,
  workspaces: string[],
  condition: PendingQuery<Row[]>,
): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::integer as count from crm.webhook_deliveries
    where workspace_id = any (${workspaces}) and ${condition}`;
  return row.count;
}

export function countEnded(sql: Sql, workspaces: string[]): Promise<number> {
  return countDeliveries(sql, workspaces, sql`state <> 'pending'`);
}

/** Makes retries due now. Skips deliveries that a dispatcher is changing, because waiting for it could deadlock. */
export async function skipWaits(sql: Sql, workspaces: string[]): Promise<void> {
  await sql`
    with waiting as (
      select workspace_id, delivery_id from crm.webhook_queue
      where workspace_id = any (${workspaces}) and state = 'waiting' and due_at > clock_timestamp()
      for update skip locked
    )
    update crm.webhook_deliveries d set next_attempt_at = clock_timestamp()
    from waiting q
    where d.workspace_id = q.workspace_id and d.id = q.delivery_id and d.attempts > 0`;
}

/**
 * Shortens leases from 60 s to `seconds`, so that a short run waits less. Skips deliveries that a dispatcher is
 * changing, because waiting for it could deadlock.
 */
export async function shortenLeases(sql: Sql, seconds: number): Promise<void> {
  await sql`
    with leased as (
      select workspace_id, delivery_id from crm.webhook_queue
      where lease_until > clock_timestamp() + ${seconds} * interval '1 s'
      for update skip locked
    )
    update crm.webhook_queue q set lease_until = clock_timestamp() + ${seconds} * interval '1 s'
    from leased l
    where q.workspace_id = l.workspace_id and q.delivery_id = l.delivery_id`;
}

export async function countLeased(sql: Sql, workspaces: string[]): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::integer as count from crm.webhook_queue
    where workspace_id = any (${workspaces}) and state = 'leased' and lease_until > clock_timestamp()`;
  return row.count;
}
