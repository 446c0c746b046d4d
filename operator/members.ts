import type { ISql } from "postgres";
import { refuseViolation, unknownId } from "./operation_error.ts";
import { requireWorkspace } from "./require_workspace.ts";

/** What a member may be; admin and gestor manage the workspace. */
export const ROLES = ["admin", "gestor", "vendedor"] as const;
export type Role = typeof ROLES[number];

export interface Member {
  id: string;
  workspace_id: string;
  name: string;
  email: string;
  role: Role;
  is_active: boolean;
  created_at: Date;
}

export interface NewMember {
  workspaceId: string;
  /** 1 to 255 characters. */
  name: string;
  /** Unique in the workspace, whatever its case. */
  email: string;
  role: Role;
}

/** @throws OperationError where there is no such workspace, or it has a member with that e-mail. */
export async function addMember(sql: ISql, input: NewMember): Promise<{ id: string }> {
  const { workspaceId, name, email, role } = input;
  const [member] = await sql<[{ id: string }]>`
    insert into crm.members (workspace_id, name, email, role)
    values (${workspaceId}, ${name}, ${email}, ${role})
    returning id
  `.catch(refuseViolation({
    members_workspace_id_fkey: unknownId("workspace", workspaceId).message,
    members_email: `The workspace already has a member with the e-mail "${email}"`,
  }));
  return member;
}

/**
 * @param changes.isActive An inactive member owns no new records and authors no notes.
 * @throws OperationError where there is no such member.
 */
export async function updateMember(sql: ISql, id: string, changes: { isActive: boolean }): Promise<Member> {
  const [member] = await sql<Member[]>`
    update crm.members set is_active = ${changes.isActive}
    where id = ${id}
    returning id, workspace_id, name, email, role, is_active, created_at
  `;
  if (!member) throw unknownId("member", id);
  return member;
}

/**
 * The members of a workspace, oldest first.
 * @throws OperationError where there is no such workspace.
 */
export async function listMembers(sql: ISql, workspaceId: string): Promise<Member[]> {
  await requireWorkspace(sql, workspaceId);
  return await sql<Member[]>`
    select id, workspace_id, name, email, role, is_active, created_at
    from crm.members
    where workspace_id = ${workspaceId}
    order by id
  `;
}
