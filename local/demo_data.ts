import type { Sql } from "postgres";
import { createKey } from "../operator/keys.ts";
import { createWorkspace } from "../operator/workspaces.ts";
import { hashCredential } from "../supabase/functions/_shared/contract/credentials.ts";
import { SCOPES } from "../supabase/functions/_shared/contract/scopes.ts";

/**
 * Returns the key of the demo workspace, which has every scope. Creates the workspace and the key if the key is not in
 * this database: at the first start, or with another DATABASE_URL.
 * @param earlier The key that earlier starts used; null at the first one.
 */
export async function ensureDemoKey(sql: Sql, earlier: string | null): Promise<string> {
  if (earlier !== null && await isValid(sql, earlier)) return earlier;
  const workspace = await createWorkspace(sql, { name: "Demonstração" });
  const { key } = await createKey(sql, {
    workspaceId: workspace.id,
    name: "Demonstração",
    scopes: [...SCOPES],
  });
  return key;
}

async function isValid(sql: Sql, key: string): Promise<boolean> {
  const [found] = await sql`
    select from crm.identify(decode(${hashCredential(key)}, 'hex'))
    where error_code is distinct from 'invalid_api_key' and error_code is distinct from 'revoked_api_key'
  `;
  return found !== undefined;
}
