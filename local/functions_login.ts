import type { Sql } from "postgres";
import { scramVerifier } from "../operator/scram_verifier.ts";
import type { Secrets } from "./secrets.ts";

/** The role of the migration `roles` that the functions connect as. */
const ROLE = "crm_functions";

/** Sets the password of the functions' role. @param sql as the role that applied the migrations */
export async function setFunctionsPassword(sql: Sql, { functions_password }: Secrets): Promise<void> {
  // `alter role` takes no parameters; a verifier has no quote.
  await sql.unsafe(`alter role ${ROLE} password '${scramVerifier(functions_password)}'`);
}

/** The same database as the functions reach it. */
export function functionsDatabaseUrl(databaseUrl: string, { functions_password }: Secrets): string {
  const url = new URL(databaseUrl);
  // Supabase's pooler wants the project after the role: `postgres.<ref>`.
  url.username = url.username.replace(/^[^.]*/, ROLE);
  url.password = functions_password;
  return url.href;
}
