import type { ISql, Sql } from "postgres";
import { unknownId } from "./operation_error.ts";
import { requireWorkspace } from "./require_workspace.ts";
import { requireActive } from "./webhooks.ts";

export interface Delivery {
  id: string;
  subscription_id: string;
  target_url: string;
  event: string;
  state: "pending" | "delivered" | "failed";
  attempts: number;
  /** HTTP status of the receiver at the last attempt; null where no whole answer came. */
  last_status: number | null;
  /** Why the last attempt failed. */
  last_reason: string | null;
  last_attempt_at: Date | null;
  /** Null where no attempt is left to make. */
  next_attempt_at: Date | null;
  created_at: Date;
}

/**
 * The last 50 deliveries of a workspace, newest first (spec 6.5).
 * @throws OperationError where there is no such workspace.
 */
export async function listDeliveries(sql: ISql, workspaceId: string): Promise<Delivery[]> {
  await requireWorkspace(sql, workspaceId);
  return await sql<Delivery[]>`select * from crm.recent_deliveries(${workspaceId})`;
}

/**
 * Sends one delivery now, under the same id. One that had ended gets five attempts anew; one that waits for its next
 * attempt gets none on top of those it has left.
 * @throws OperationError where there is no such delivery, or its subscription is inactive.
 */
export function redeliver(sql: Sql, id: string): Promise<{ id: string; subscription_id: string }> {
  return sql.begin(async (sql) => {
    const [delivery] = await sql<{ workspace_id: string; subscription_id: string }[]>`
      select workspace_id, subscription_id from crm.webhook_deliveries where id = ${id}
    `;
    if (!delivery) throw unknownId("delivery", id);
    const { workspace_id, subscription_id } = delivery;
    await requireActive(sql, subscription_id);
    await sql`select crm.redeliver(${workspace_id}, ${id})`;
    await sql`select crm.poke_dispatcher()`;
    return { id, subscription_id };
  });
}

/**
 * Makes the waiting deliveries of a workspace due now and wakes the dispatcher. Those of an inactive subscription go on
 * waiting for it.
 * @returns how many were waiting.
 * @throws OperationError where there is no such workspace.
 */
export function retryDeliveries(sql: Sql, workspaceId: string): Promise<{ retried: number }> {
  return sql.begin(async (sql) => {
    await requireWorkspace(sql, workspaceId);
    const [hurried] = await sql<[{ retried: number }]>`
      select crm.retry_deliveries(${workspaceId})::integer as retried
    `;
    await sql`select crm.poke_dispatcher()`;
    return hurried;
  });
}
