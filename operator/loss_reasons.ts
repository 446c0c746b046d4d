import type { ISql } from "postgres";
import { refuseViolation, unknownId } from "./operation_error.ts";
import { requireWorkspace } from "./require_workspace.ts";

export interface LossReason {
  id: string;
  workspace_id: string;
  name: string;
  is_active: boolean;
  created_at: Date;
}

/**
 * @param input.name 1 to 255 characters.
 * @throws OperationError where there is no such workspace.
 */
export async function createLossReason(
  sql: ISql,
  input: { workspaceId: string; name: string },
): Promise<{ id: string }> {
  const [reason] = await sql<[{ id: string }]>`
    insert into crm.loss_reasons (workspace_id, name) values (${input.workspaceId}, ${input.name}) returning id
  `.catch(refuseViolation({
    loss_reasons_workspace_id_fkey: unknownId("workspace", input.workspaceId).message,
  }));
  return reason;
}

/**
 * @param changes.isActive No deal can be lost for an inactive one any more; those that were, stay.
 * @throws OperationError where there is no such reason.
 */
export async function updateLossReason(
  sql: ISql,
  id: string,
  changes: { isActive: boolean },
): Promise<LossReason> {
  const [reason] = await sql<LossReason[]>`
    update crm.loss_reasons set is_active = ${changes.isActive}
    where id = ${id}
    returning id, workspace_id, name, is_active, created_at
  `;
  if (!reason) throw unknownId("loss reason", id);
  return reason;
}

/**
 * Why deals of a workspace can be lost, oldest first, inactive ones included.
 * @throws OperationError where there is no such workspace.
 */
export async function listLossReasons(sql: ISql, workspaceId: string): Promise<LossReason[]> {
  await requireWorkspace(sql, workspaceId);
  return await sql<LossReason[]>`
    select id, workspace_id, name, is_active, created_at from crm.loss_reasons
    where workspace_id = ${workspaceId}
    order by id
  `;
}
