import { Buffer } from "node:buffer";
import type { ISql, Sql } from "postgres";
import {
  decryptSecret,
  encryptSecret,
  generateSecret,
} from "../supabase/functions/_shared/webhooks/secret.ts";
import { OperationError, unknownId } from "./operation_error.ts";
import { requireWorkspace } from "./require_workspace.ts";

export interface Subscription {
  id: string;
  event_types: string[];
  target_url: string;
  is_active: boolean;
  /** Failed attempts since the last success. */
  failure_count: number;
  last_success_at: Date | null;
  last_failure_at: Date | null;
  created_at: Date;
}

interface Found {
  workspace_id: string;
  is_active: boolean;
}

/**
 * The webhook subscriptions of a workspace, newest first, inactive ones included.
 * @throws OperationError where there is no such workspace.
 */
export async function listSubscriptions(sql: ISql, workspaceId: string): Promise<Subscription[]> {
  await requireWorkspace(sql, workspaceId);
  return await sql<Subscription[]>`
    select
      id, to_jsonb(event_types) as event_types, target_url, is_active, failure_count,
      last_success_at, last_failure_at, created_at
    from crm.webhook_subscriptions
    where workspace_id = ${workspaceId}
    order by created_at desc, id desc
  `;
}

/**
 * Sends a test event, a delivery like any other: signed, tried again where it fails, and shown in the list.
 * @returns its id.
 * @throws OperationError where there is no such subscription, or it is inactive.
 */
export function sendTestEvent(sql: Sql, id: string): Promise<{ delivery_id: string }> {
  return sql.begin(async (sql) => {
    const { workspace_id } = await requireActive(sql, id);
    const [sent] = await sql<[{ delivery_id: string }]>`
      select crm.send_test_event(${workspace_id}, ${id}) as delivery_id
    `;
    await sql`select crm.poke_dispatcher()`;
    return sent;
  });
}

/**
 * Makes a subscription active again, with a failure_count of 0, and lets its waiting deliveries go on. One that is active
 * already stays as it is.
 * @returns how many deliveries were waiting.
 * @throws OperationError where there is no such subscription.
 */
export function reactivateSubscription(sql: Sql, id: string): Promise<{ id: string; resumed: number }> {
  return sql.begin(async (sql) => {
    const { workspace_id } = await requireSubscription(sql, id);
    const [{ resumed }] = await sql<[{ resumed: number }]>`
      select crm.reactivate_subscription(${workspace_id}, ${id})::integer as resumed
    `;
    await sql`select crm.poke_dispatcher()`;
    return { id, resumed };
  });
}

/**
 * Gives a subscription a new signing secret. It is in this answer and nowhere else: only its encrypted form is kept.
 * @param key Base64 of 32 bytes, the one that the functions have.
 * @param force Also where the key does not open the present secret: the way on after a key was lost.
 * @throws OperationError where there is no such subscription, or the key is not that of the functions.
 */
export function rotateSecret(
  sql: Sql,
  id: string,
  key: string,
  force: boolean,
): Promise<{ id: string; secret: string }> {
  return sql.begin(async (sql) => {
    const { workspace_id } = await requireSubscription(sql, id);
    const [present] = await sql<[{ secret: Uint8Array }]>`
      select secret from crm.webhook_secrets
      where workspace_id = ${workspace_id} and subscription_id = ${id}
      for update
    `;
    // With another key than the dispatcher's, nothing would ever be delivered again.
    if (!force) await requireKeyOf(present.secret, key);
    const secret = generateSecret();
    const encrypted = Buffer.from(await encryptSecret(secret, key), "base64");
    await sql`
      update crm.webhook_secrets set secret = ${encrypted}
      where workspace_id = ${workspace_id} and subscription_id = ${id}
    `;
    return { id, secret };
  });
}

/**
 * Finds a subscription that takes deliveries.
 * @throws OperationError where there is no such subscription, or it is inactive.
 */
export async function requireActive(sql: ISql, id: string): Promise<Found> {
  const subscription = await requireSubscription(sql, id);
  if (subscription.is_active) return subscription;
  throw new OperationError(`The subscription "${id}" is inactive: reactivate it first`);
}

async function requireSubscription(sql: ISql, id: string): Promise<Found> {
  const [subscription] = await sql<Found[]>`
    select workspace_id, is_active from crm.webhook_subscriptions where id = ${id}
  `;
  if (!subscription) throw unknownId("webhook subscription", id);
  return subscription;
}

async function requireKeyOf(stored: Uint8Array, key: string): Promise<void> {
  try {
    await decryptSecret(stored, key);
  } catch {
    throw new OperationError(
      "The encryption key does not open the present secret: give the one that the functions have, or use --force",
    );
  }
}
