import type { Sql } from "postgres";
import { createKey } from "../operator/keys.ts";
import { createWorkspace } from "../operator/workspaces.ts";
import { hashCredential } from "../supabase/functions/_shared/contract/credentials.ts";
import { SCOPES } from "../supabase/functions/_shared/contract/scopes.ts";

/**
 * The key of the demo workspace, with every scope. The workspace and the key are made where this database does not
 * know the key: at the first start, or with another DATABASE_URL.
 * @param kept The key shown at earlier starts, if any.
 */
export async function demoKey(sql: Sql, kept: string | null): Promise<string> {
  if (kept !== null && await isKnown(sql, kept)) return kept;
  const workspace = await createWorkspace(sql, { name: "Demonstração" });
  const { key } = await createKey(sql, {
    workspaceId: workspace.id,
    name: "Demonstração",
    scopes: [...SCOPES],
  });
  return key;
}

async function isKnown(sql: Sql, key: string): Promise<boolean> {
  const [found] = await sql`
    select from crm.api_keys where hash = decode(${hashCredential(key)}, 'hex') and revoked_at is null
  `;
  return found !== undefined;
}
