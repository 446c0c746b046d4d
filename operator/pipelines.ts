import type { ISql, Sql } from "postgres";
import { unknownId } from "./operation_error.ts";
import { requireWorkspace } from "./require_workspace.ts";

export interface NewStage {
  /** 1 to 255 characters. */
  name: string;
  /** 1 to 40 characters. Values seen: pre-venda, venda, won, lost (spec 2.5). */
  type: string;
}

export interface NewPipeline {
  workspaceId: string;
  /** 1 to 255 characters. */
  name: string;
  /** Whether it takes the place of the workspace's default. */
  isDefault?: boolean | undefined;
  /** In order; the first gets position 1. */
  stages: NewStage[];
}

export interface CreatedPipeline {
  id: string;
  stages: { id: string; name: string; type: string; position: number }[];
}

export interface Pipeline {
  id: string;
  workspace_id: string;
  name: string;
  is_default: boolean;
  is_active: boolean;
}

export interface Stage {
  id: string;
  pipeline_id: string;
  name: string;
  type: string;
  position: number;
  is_active: boolean;
}

/** @throws OperationError where there is no such workspace. */
export function createPipeline(sql: Sql, input: NewPipeline): Promise<CreatedPipeline> {
  return sql.begin(async (sql) => {
    await requireWorkspace(sql, input.workspaceId);
    if (input.isDefault) await vacateDefault(sql, input.workspaceId);
    return await insertPipeline(sql, input);
  });
}

/** Inserts a pipeline with its stages; where it is the default, the workspace has no other. */
export async function insertPipeline(sql: ISql, input: NewPipeline): Promise<CreatedPipeline> {
  const [pipeline] = await sql<[CreatedPipeline]>`
    with pipeline as (
      insert into crm.pipelines (workspace_id, name, is_default)
      values (${input.workspaceId}, ${input.name}, ${input.isDefault ?? false})
      returning workspace_id, id
    ),
    stage as (
      insert into crm.stages (workspace_id, pipeline_id, name, type, position)
      select p.workspace_id, p.id, s.value ->> 'name', s.value ->> 'type', s.position
      from pipeline p
      cross join jsonb_array_elements(${
    sql.json(input.stages.map(({ name, type }) => ({ name, type })))
  }::jsonb)
        with ordinality as s (value, position)
      returning id, name, type, position
    )
    select
      p.id,
      (
        select coalesce(
          json_agg(json_build_object('id', s.id, 'name', s.name, 'type', s.type, 'position', s.position) order by s.position),
          '[]'
        )
        from stage s
      ) as stages
    from pipeline p
  `;
  return pipeline;
}

/**
 * @param changes.isActive Deals are not put in an inactive pipeline, not even where it is the default.
 * @param changes.isDefault Makes it the workspace's default instead of the present one.
 * @throws OperationError where there is no such pipeline.
 */
export function updatePipeline(
  sql: Sql,
  id: string,
  changes: { isActive?: boolean | undefined; isDefault?: true | undefined },
): Promise<Pipeline> {
  return sql.begin(async (sql) => {
    if (changes.isDefault) {
      const [found] = await sql<{ workspace_id: string }[]>`
        select workspace_id from crm.pipelines where id = ${id}
      `;
      if (found) await vacateDefault(sql, found.workspace_id);
    }
    const [pipeline] = await sql<Pipeline[]>`
      update crm.pipelines set
        is_active = coalesce(${changes.isActive ?? null}, is_active),
        is_default = coalesce(${changes.isDefault ?? null}, is_default)
      where id = ${id}
      returning id, workspace_id, name, is_default, is_active
    `;
    if (!pipeline) throw unknownId("pipeline", id);
    return pipeline;
  });
}

/**
 * Every pipeline of a workspace with every stage, inactive ones included: what the API, which shows active pipelines
 * only, cannot be asked for.
 * @throws OperationError where there is no such workspace.
 */
export async function listPipelines(
  sql: ISql,
  workspaceId: string,
): Promise<(Pipeline & { stages: Stage[] })[]> {
  await requireWorkspace(sql, workspaceId);
  return await sql<(Pipeline & { stages: Stage[] })[]>`
    select
      p.id, p.workspace_id, p.name, p.is_default, p.is_active,
      coalesce(
        (
          select json_agg(s order by s.position)
          from (
            select id, pipeline_id, name, type, position, is_active from crm.stages t
            where t.workspace_id = p.workspace_id and t.pipeline_id = p.id
          ) s
        ),
        '[]'
      ) as stages
    from crm.pipelines p
    where p.workspace_id = ${workspaceId}
    order by p.id
  `;
}

/**
 * @param changes.isActive Deals are not put in an inactive stage.
 * @throws OperationError where there is no such stage.
 */
export async function updateStage(sql: ISql, id: string, changes: { isActive: boolean }): Promise<Stage> {
  const [stage] = await sql<Stage[]>`
    update crm.stages set is_active = ${changes.isActive}
    where id = ${id}
    returning id, pipeline_id, name, type, position, is_active
  `;
  if (!stage) throw unknownId("stage", id);
  return stage;
}

/** Leaves the workspace without a default, for another to be named in the same transaction. */
async function vacateDefault(sql: ISql, workspaceId: string): Promise<void> {
  // Two moves at once would both find the place free; this lock puts one after the other.
  await sql`select from crm.workspaces where id = ${workspaceId} for no key update`;
  await sql`update crm.pipelines set is_default = false where workspace_id = ${workspaceId} and is_default`;
}
