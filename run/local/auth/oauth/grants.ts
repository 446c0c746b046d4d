import type { Sql } from "postgres";
import { isUuid } from "../../../../supabase/functions/_shared/runtime/uuid.ts";
import { AuthError } from "../errors.ts";
import { type OAuthClient, showClient } from "./clients.ts";

/** The apps that a person has approved, the newest approval first. */
export async function listGrants(sql: Sql, userId: string): Promise<Record<string, unknown>[]> {
  const rows = await sql<(OAuthClient & { scopes: string; granted_at: Date })[]>`
    select c.*, o.scopes, o.granted_at
    from auth.oauth_consents o join auth.oauth_clients c on c.id = o.client_id
    where o.user_id = ${userId} and o.revoked_at is null
    order by o.granted_at desc
  `;
  return rows.map((row) => ({
    client: showClient(row),
    scopes: row.scopes.split(" "),
    granted_at: row.granted_at,
  }));
}

/** Revokes a person's approval of an app, and ends every session of the app for this person. */
export async function revokeGrant(sql: Sql, userId: string, clientId: string | undefined): Promise<void> {
  if (!isUuid(clientId ?? "")) throw new AuthError(400, "validation_failed", "invalid client_id format");
  await sql.begin(async (sql) => {
    const { count } = await sql`
      update auth.oauth_consents set revoked_at = now()
      where user_id = ${userId} and client_id = ${clientId!} and revoked_at is null
    `;
    if (count === 0) {
      throw new AuthError(404, "oauth_consent_not_found", "No active grant found for this client");
    }
    await sql`delete from auth.sessions where user_id = ${userId} and oauth_client_id = ${clientId!}`;
  });
}
