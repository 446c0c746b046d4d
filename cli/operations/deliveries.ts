import type { ISql, Sql } from "postgres";
import { requireWorkspace } from "./require_workspace.ts";

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
