// The two secrets in the Vault with which the job webhook-dispatch calls the dispatcher.
import type { Sql } from "postgres";
import { hasTable } from "../local/sql.ts";
import { StackError } from "../local/stack_error.ts";

export const URL_SECRET = "webhook_dispatcher_url";
export const BEARER_SECRET = "webhook_dispatcher_secret";

/** The two secrets; each is null if the Vault lacks it. */
export interface DispatcherSecrets {
  url: string | null;
  bearer: string | null;
}

/** Reads both secrets; null if the database has no Vault. */
export async function readDispatcherSecrets(sql: Sql): Promise<DispatcherSecrets | null> {
  if (!await hasTable(sql, "vault.decrypted_secrets")) return null;
  const rows = await sql<{ name: string; value: string }[]>`
    select name, decrypted_secret as value from vault.decrypted_secrets where name in (${URL_SECRET}, ${BEARER_SECRET})
  `;
  const value = (name: string) => rows.find((row) => row.name === name)?.value ?? null;
  return { url: value(URL_SECRET), bearer: value(BEARER_SECRET) };
}

/**
 * Writes to the Vault each of the two secrets that is missing there or has another value.
 * @param onlyPlan true: only find out what would change
 * @returns the names of the secrets that change.
 * @throws StackError if the database has no Vault
 */
export async function writeDispatcherSecrets(
  sql: Sql,
  wanted: { url: string; bearer: string },
  onlyPlan: boolean,
): Promise<string[]> {
  const present = await readDispatcherSecrets(sql);
  if (present === null) {
    throw new StackError(
      "The database has no Vault: run `create extension if not exists supabase_vault cascade`",
    );
  }
  const changed: string[] = [];
  for (const key of ["url", "bearer"] as const) {
    const name = key === "url" ? URL_SECRET : BEARER_SECRET;
    if (present[key] === wanted[key]) continue;
    changed.push(name);
    if (onlyPlan) continue;
    if (present[key] === null) await sql`select vault.create_secret(${wanted[key]}, ${name})`;
    else {
      await sql`
        select vault.update_secret(id, ${wanted[key]}) from vault.decrypted_secrets where name = ${name}
      `;
    }
  }
  return changed;
}

/** The address of the dispatcher, in the given region. */
export function dispatcherUrl(functionsUrl: string, region: string | null): string {
  const url = new URL(`${functionsUrl}/webhook-dispatcher`);
  if (region) url.searchParams.set("forceFunctionRegion", region);
  return url.href;
}
