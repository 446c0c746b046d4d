import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import type postgres from "postgres";
import { client } from "./client.ts";
import { eventually, type Message } from "./mailbox.ts";

export const WEBHOOKS = "/api-v1-webhooks";

/** A new subscription with its secret. */
export interface Subscribed {
  id: string;
  secret: string;
}

/** Subscribes through the API. */
export async function subscribe(key: string, targetUrl: string, events: string[]): Promise<Subscribed> {
  const { status, body, text } = await client(key).post(WEBHOOKS, {
    event_types: events,
    target_url: targetUrl,
  });
  assert.equal(status, 201, text);
  return body;
}

/**
 * Checks a delivery as a receiver would (spec 6.2 to 6.4): headers, signature, and the fields of the body.
 *
 * @param nextSecret the new secret, during the overlap of a rotation
 */
export function checkDelivery(message: Message, secret: string, nextSecret?: string): void {
  const { headers, raw, body } = message;
  const timestamp = headers.get("X-Service-Timestamp") ?? "";
  const signature = (secret: string) =>
    `sha256=${createHmac("sha256", secret).update(`${timestamp}.`).update(raw).digest("hex")}`;
  assert.equal(headers.get("X-Service-Signature"), signature(secret));
  assert.equal(
    headers.get("X-Service-Signature-Next"),
    nextSecret === undefined ? null : signature(nextSecret),
  );
  assert.ok(
    Math.abs(Number(timestamp) - message.at / 1000) < 5,
    "the timestamp is that of the attempt, in seconds",
  );
  assert.equal(headers.get("X-Service-Event"), body.event);
  assert.equal(headers.get("X-Service-Event-Id"), body.event_id);
  assert.equal(headers.get("X-Service-Delivery-Id"), body.delivery_id);
  assert.match(body.occurred_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  // Only a test event has `test`.
  assert.ok(!("test" in body) || body.test === true);
  assert.deepEqual(Object.keys(body).filter((field) => field !== "test").sort(), [
    "actor_id",
    "data",
    "delivery_id",
    "event",
    "event_id",
    "object_id",
    "object_type",
    "occurred_at",
    "workspace_id",
  ]);
}

/** A row of crm.webhook_deliveries, with its lease in the queue. */
export interface DeliveryRow {
  id: string;
  state: "pending" | "delivered" | "failed" | "cancelled";
  attempts: number;
  next_attempt_at: Date;
  lease_until: Date | null;
}

/** Waits until the only delivery of a subscription meets a condition; throws an error after 60 s. */
export function waitForDelivery(
  sql: postgres.Sql,
  subscriptionId: string,
  fits: (delivery: DeliveryRow) => boolean,
): Promise<DeliveryRow> {
  return eventually(async () => {
    const [delivery] = await sql<DeliveryRow[]>`
      select d.id, d.state, d.attempts, d.next_attempt_at, q.lease_until
      from crm.webhook_deliveries d
      left join crm.webhook_queue q on q.workspace_id = d.workspace_id and q.delivery_id = d.id
      where d.subscription_id = ${subscriptionId}`;
    return delivery !== undefined && fits(delivery) && delivery;
  }, `the delivery of subscription ${subscriptionId}`);
}

/**
 * Adds events to a workspace, each with a delivery to the subscription. The given states and event types are used in
 * turn. The first event occurred `secondsAgo`, and each later event a millisecond after the previous one.
 *
 * @returns the ids of the deliveries, the oldest first
 */
export async function addDeliveries(
  sql: postgres.Sql,
  workspaceId: string,
  subscriptionId: string,
  { count, states, events, secondsAgo = 60 }: {
    count: number;
    states: string[];
    events: string[];
    secondsAgo?: number;
  },
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    with event as (
      insert into crm.events (workspace_id, id, event, object_id, facts, occurred_at)
      select
        ${workspaceId}, crm.uuid_v7(at), (${events}::text[])[1 + n % ${events.length}]::crm.event_type, gen_random_uuid(),
        '{}', at
      from generate_series(0, ${count}::integer - 1) n
      cross join lateral (
        select date_trunc('milliseconds', now()) - ${secondsAgo} * interval '1 s' + n * interval '1 ms' as at
      ) t
      returning id
    )
    insert into crm.webhook_deliveries (workspace_id, id, event_id, subscription_id, state)
    select
      ${workspaceId}, crm.delivery_id(e.id, ${subscriptionId}), e.id, ${subscriptionId},
      (${states}::text[])[1 + row_number() over (order by e.id) % ${states.length}]
    from event e
    returning id`;
  return rows.map(({ id }) => id).sort();
}

/** Makes the waiting deliveries of a subscription due now, and pokes the dispatcher. */
export async function letTimePass(sql: postgres.Sql, subscriptionId: string): Promise<void> {
  await sql`
    update crm.webhook_deliveries d set next_attempt_at = clock_timestamp()
    from crm.webhook_queue q
    where d.subscription_id = ${subscriptionId} and d.state = 'pending'
      and q.workspace_id = d.workspace_id and q.delivery_id = d.id and q.state <> 'leased'`;
  await sql`select crm.poke_dispatcher()`;
}
