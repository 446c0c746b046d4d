import type { ISql } from "postgres";
import { operate } from "./operator.ts";
import type { Args, Result } from "./verbs.ts";

/**
 * Creates a workspace with an admin and a default pipeline of four stages, ready for its first lead. Without
 * `member_email` nobody can sign in to the console.
 * @throws OperatorError if a name or the e-mail is invalid.
 */
export function createWorkspace(
  sql: ISql,
  input: Args<"workspace_create">,
): Promise<Result<"workspace_create">> {
  return operate(sql, "workspace_create", input);
}

/**
 * Suspends a workspace or changes its plan.
 * @throws OperatorError if there is no such workspace, or a value is out of its range.
 */
export function updateWorkspace(
  sql: ISql,
  id: string,
  changes: Omit<Args<"workspace_update">, "workspace_id">,
): Promise<Result<"workspace_update">> {
  return operate(sql, "workspace_update", { workspace_id: id, ...changes });
}
