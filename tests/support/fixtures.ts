import type { Sql } from "postgres";
import { createKey } from "../../run/operator/keys.ts";
import { operate } from "../../run/operator/operator.ts";
import { SCOPES } from "../../supabase/functions/_shared/contract/scopes.ts";
import { client } from "./client.ts";

/** Calls a minute for each key: too many for a test to reach by accident. */
const RATE_LIMIT = 100_000;

export interface TestStage {
  id: string;
  name: string;
  type: string;
  position: number;
}

export interface TestWorkspace {
  id: string;
  /** The workspace's admin, who is also the creator of the key. */
  memberId: string;
  pipelineId: string;
  /** The stages of the default pipeline, in order: pre-venda, venda, won, lost. */
  stages: [TestStage, TestStage, TestStage, TestStage];
  key: string;
}

export interface WorkspaceOptions {
  name?: string;
  /** Calls a minute for each key. */
  rateLimit?: number;
  scopes?: string[];
}

/** Creates a workspace by the operator's verbs, with a key that has every scope unless `scopes` names others. */
export async function makeWorkspace(sql: Sql, options: WorkspaceOptions = {}): Promise<TestWorkspace> {
  const workspace = await operate(sql, "workspace_create", { name: options.name ?? "Teste" });
  await operate(sql, "workspace_update", {
    workspace_id: workspace.id,
    rate_limit_per_minute: options.rateLimit ?? RATE_LIMIT,
  });
  const [first, second, won, lost] = await sql<TestWorkspace["stages"]>`
    select id, name, type, position from crm.stages
    where workspace_id = ${workspace.id} and pipeline_id = ${workspace.pipeline_id}
    order by position
  `;
  const { key } = await makeKey(sql, workspace.id, options.scopes ? { scopes: options.scopes } : {});
  return {
    id: workspace.id,
    memberId: workspace.member_id,
    pipelineId: workspace.pipeline_id,
    stages: [first, second, won, lost],
    key,
  };
}

export interface KeyOptions {
  /** Absent: every scope in use. */
  scopes?: string[];
  /** The creator. Absent: the oldest active admin. */
  memberId?: string;
}

/** Creates another key of a workspace. */
export function makeKey(
  sql: Sql,
  workspaceId: string,
  options: KeyOptions = {},
): Promise<{ id: string; key: string }> {
  return createKey(sql, { workspaceId, name: "Teste", scopes: [...SCOPES], ...options });
}

/** Creates a deal and its contact in the workspace of the key. */
export async function makeDeal(key: string): Promise<{ id: string; contactId: string }> {
  const { body } = await client(key).post("/api-v1-leads", { first_name: "Ana" });
  return { id: body.lead.deal_id, contactId: body.lead.contact_id };
}

/** Creates a workspace with a deal, and a client with its key. */
export async function makeWorkspaceWithDeal(sql: Sql) {
  const workspace = await makeWorkspace(sql);
  return { workspace, deal: await makeDeal(workspace.key), api: client(workspace.key) };
}
