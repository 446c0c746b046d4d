import type { ISql } from "postgres";
import { operate } from "./operator.ts";
import type { Result, WorkspaceOverview } from "./verbs.ts";

/** Changes to a workspace; absent fields stay. */
export interface WorkspaceChanges {
  /** Whether all calls with keys of the workspace get `workspace_suspended`. */
  suspended?: boolean | undefined;
  /** Whether its plan includes the public API. */
  publicApi?: boolean | undefined;
  /** Calls per minute for each key, 1 to 1,000,000. */
  rateLimit?: number | undefined;
  /** After how many days without movement a deal is stale, 1 to 3650. */
  staleAfterDays?: number | undefined;
}

export interface NewWorkspace {
  /** 1 to 255 characters. */
  name: string;
  /** Name of the workspace's admin. */
  memberName?: string | undefined;
  /** The e-mail by which the admin can sign in to the console; without it nobody can. */
  memberEmail?: string | undefined;
}

/**
 * Creates a workspace with an admin and a default pipeline of four stages, ready for its first lead.
 * @throws OperatorError if a name or the e-mail is invalid.
 */
export function createWorkspace(sql: ISql, input: NewWorkspace): Promise<Result<"workspace_create">> {
  return operate(sql, "workspace_create", {
    name: input.name,
    member_name: input.memberName,
    member_email: input.memberEmail,
  });
}

/**
 * Suspends a workspace or changes its plan.
 * @throws OperatorError if there is no such workspace, or a value is out of its range.
 */
export function updateWorkspace(
  sql: ISql,
  id: string,
  changes: WorkspaceChanges,
): Promise<WorkspaceOverview> {
  return operate(sql, "workspace_update", {
    workspace_id: id,
    suspended: changes.suspended,
    public_api: changes.publicApi,
    rate_limit_per_minute: changes.rateLimit,
    stale_after_days: changes.staleAfterDays,
  });
}
