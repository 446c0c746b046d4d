import type { Sql } from "postgres";
import { makeWorkspace, type TestWorkspace } from "./fixtures.ts";
import { makeLossReason } from "./record_fixtures.ts";
import { makeAppSamples, makeOperation, makeSamples, recordIdFor } from "./samples.ts";
import { signIn } from "./sessions.ts";

/** A workspace with a record of each kind, by the name of its resource, and an admin who is signed in. */
type Filled =
  & TestWorkspace
  & Awaited<ReturnType<typeof makeSamples>>
  & { lossReasonId: string; session: string };

let made: Promise<{ mine: Filled; theirs: Filled }> | undefined;

/** Two workspaces, made once for a test file: calls with the key of `mine` and ids of `theirs` must change nothing. */
export function twoWorkspaces(sql: Sql): Promise<{ mine: Filled; theirs: Filled }> {
  return made ??= (async () => ({ mine: await fill(sql), theirs: await fill(sql) }))();
}

async function fill(sql: Sql): Promise<Filled> {
  const workspace = await makeWorkspace(sql);
  const { records, ...ids } = await makeSamples(workspace.key, workspace.stages);
  Object.assign(records, await makeAppSamples(sql, workspace.id, `${crypto.randomUUID()}@exemplo.com`));
  records["api-v1-operations"] = await makeOperation(sql, workspace.id);
  const lossReasonId = await makeLossReason(sql, workspace);
  return {
    ...workspace,
    ...ids,
    records,
    lossReasonId,
    session: (await signIn(sql, workspace.id, "admin")).session,
  };
}

/** The records for the ids in a path. For a delivery's path, the subscription is the one that has a delivery. */
function recordsFor({ records }: Filled, resource: string, path: string): Record<string, string> {
  if (path.includes(":delivery_id")) return { ...records, [resource]: records["app-v1-webhooks"]! };
  const id = recordIdFor(records, resource, path);
  return id === undefined ? records : { ...records, [resource]: id };
}

/** The ids of a workspace by the names of the fields that take them. */
export function idsByField(workspace: Filled, resource: string, path: string): Record<string, string> {
  const records = recordsFor(workspace, resource, path);
  const { deal_id, contact_id, company_id, stage_id } = workspace;
  return {
    deal_id,
    contact_id,
    company_id,
    stage_id,
    id: records[resource] ?? "",
    merge_id: records[resource] ?? "",
    delivery_id: records["app-v1-deliveries"]!,
    subscription_id: records["app-v1-webhooks"]!,
    pipeline_id: workspace.pipelineId,
    owner_id: workspace.memberId,
    from_owner_id: workspace.memberId,
    to_owner_id: workspace.memberId,
    object_id: contact_id,
    actor: workspace.memberId,
    not_actor: workspace.memberId,
    loss_reason_id: workspace.lossReasonId,
  };
}
