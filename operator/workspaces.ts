import type { ISql, Sql } from "postgres";
import { addMember } from "./members.ts";
import { unknownId } from "./operation_error.ts";
import { insertPipeline, type NewStage } from "./pipelines.ts";

export interface Workspace {
  id: string;
  name: string;
  suspended: boolean;
  public_api: boolean;
  rate_limit_per_minute: number;
  stale_after_days: number;
  created_at: Date;
}

/** What is absent stays as it is. */
export interface WorkspaceChanges {
  /** Whether every key of it is refused with `workspace_suspended`. */
  suspended?: boolean | undefined;
  /** Whether its plan includes the public API. */
  publicApi?: boolean | undefined;
  /** Calls a minute for each key, 1 to 1,000,000. */
  rateLimit?: number | undefined;
  /** Days without movement after which a deal is stale, 1 to 3650. */
  staleAfterDays?: number | undefined;
}

const FIRST_STAGES: NewStage[] = [
  { name: "Prospecção", type: "pre-venda" },
  { name: "Proposta", type: "venda" },
  { name: "Ganho", type: "won" },
  { name: "Perdido", type: "lost" },
];

/**
 * Makes a workspace that is ready for its first lead: with an admin, and a default pipeline of four stages. The admin's
 * e-mail is one that cannot exist (RFC 2606): the real people are added afterwards.
 * @param input.name 1 to 255 characters.
 */
export function createWorkspace(
  sql: Sql,
  input: { name: string },
): Promise<{ id: string; member_id: string; pipeline_id: string }> {
  return sql.begin(async (sql) => {
    const [workspace] = await sql<[{ id: string }]>`
      insert into crm.workspaces (name) values (${input.name}) returning id
    `;
    const workspaceId = workspace.id;
    const member = await addMember(sql, {
      workspaceId,
      name: "Administrador",
      email: "admin@workspace.invalid",
      role: "admin",
    });
    const pipeline = await insertPipeline(sql, {
      workspaceId,
      name: "Vendas",
      isDefault: true,
      stages: FIRST_STAGES,
    });
    return { id: workspaceId, member_id: member.id, pipeline_id: pipeline.id };
  });
}

/** @throws OperationError where there is no such workspace. */
export async function updateWorkspace(sql: ISql, id: string, changes: WorkspaceChanges): Promise<Workspace> {
  const [workspace] = await sql<Workspace[]>`
    update crm.workspaces set
      suspended = coalesce(${changes.suspended ?? null}, suspended),
      public_api = coalesce(${changes.publicApi ?? null}, public_api),
      rate_limit_per_minute = coalesce(${changes.rateLimit ?? null}, rate_limit_per_minute),
      stale_after_days = coalesce(${changes.staleAfterDays ?? null}, stale_after_days)
    where id = ${id}
    returning id, name, suspended, public_api, rate_limit_per_minute, stale_after_days, created_at
  `;
  if (!workspace) throw unknownId("workspace", id);
  return workspace;
}

/** All workspaces, oldest first. */
export async function listWorkspaces(sql: ISql): Promise<Workspace[]> {
  return await sql<Workspace[]>`
    select id, name, suspended, public_api, rate_limit_per_minute, stale_after_days, created_at
    from crm.workspaces
    order by id
  `;
}
