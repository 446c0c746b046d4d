import type { Sql } from "postgres";
import { createKey } from "../operator/keys.ts";
import { operate } from "../operator/operator.ts";
import { hashCredential } from "../../supabase/functions/_shared/contract/credentials.ts";
import { SCOPES } from "../../supabase/functions/_shared/contract/scopes.ts";

const DEMO_MEMBER = { name: "Ana Souza", email: "ana@demonstracao.example" } as const;

/**
 * Returns the demo workspace's key, which has every scope. Creates a workspace with a key if the earlier key does not
 * work in this database, for example after a change of DATABASE_URL.
 * @param earlier the key of earlier starts; null at the first start
 */
export async function ensureDemoKey(sql: Sql, earlier: string | null): Promise<string> {
  if (earlier !== null && await isValid(sql, earlier)) return earlier;
  const workspace = await operate(sql, "workspace_create", {
    name: "Demonstração",
    member_name: DEMO_MEMBER.name,
    member_email: DEMO_MEMBER.email,
  });
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

/**
 * Sets the password of the demo member at every start, so that the printed password works even if it was changed.
 * @returns the member's e-mail address.
 */
export async function ensureDemoUser(sql: Sql, passwordHash: string): Promise<string> {
  await sql`
    insert into auth.users (email, encrypted_password, email_confirmed_at, raw_user_meta_data)
    values (${DEMO_MEMBER.email}, ${passwordHash}, now(), ${sql.json({ name: DEMO_MEMBER.name })})
    on conflict (email) where not is_sso_user do update
    set encrypted_password = excluded.encrypted_password, updated_at = now()
  `;
  return DEMO_MEMBER.email;
}
