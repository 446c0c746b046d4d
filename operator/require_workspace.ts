import type { ISql } from "postgres";
import { unknownId } from "./operation_error.ts";

/**
 * So that a list of nothing is told from a workspace that is not there.
 * @throws OperationError where there is no such workspace.
 */
export async function requireWorkspace(sql: ISql, id: string): Promise<void> {
  const [found] = await sql`select from crm.workspaces where id = ${id}`;
  if (!found) throw unknownId("workspace", id);
}
