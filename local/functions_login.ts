import { createHmac } from "node:crypto";
import type { Sql } from "postgres";
import { scramVerifier } from "../operator/scram_verifier.ts";
import type { Secrets } from "./secrets.ts";

/** The role of the migration `roles` that the functions connect as. */
const ROLE = "crm_functions";

/**
 * Sets the password of the functions' role.
 * @param sql as the role that applied the migrations, the one of `databaseUrl`
 */
export async function setFunctionsPassword(sql: Sql, databaseUrl: string, secrets: Secrets): Promise<void> {
  // `alter role` takes no parameters; a verifier has no quote.
  await sql.unsafe(`alter role ${ROLE} password '${scramVerifier(passwordFor(databaseUrl, secrets))}'`);
}

/** The same database as the functions reach it. */
export function functionsDatabaseUrl(databaseUrl: string, secrets: Secrets): string {
  const url = new URL(databaseUrl);
  // Supabase's pooler wants the project after the role: `postgres.<ref>`.
  url.username = url.username.replace(/^[^.]*/, ROLE);
  url.password = passwordFor(databaseUrl, secrets);
  return url.href;
}

/**
 * A role belongs to the whole cluster: stacks on two databases of it share its password. It follows from the owner's
 * password, so that neither stack takes the login from the other; where the URL has none, it is this stack's own.
 */
function passwordFor(databaseUrl: string, { functions_password }: Secrets): string {
  const { password } = new URL(databaseUrl);
  if (password === "") return functions_password;
  return createHmac("sha256", decodeURIComponent(password)).update(ROLE).digest("base64url");
}
