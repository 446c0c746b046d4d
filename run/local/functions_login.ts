import { createHmac } from "node:crypto";
import { FUNCTIONS_ROLE } from "../operator/functions_password.ts";
import type { Secrets } from "./secrets.ts";

/** The database's URL with the functions' role and password in place of the owner's. */
export function functionsDatabaseUrl(databaseUrl: string, secrets: Secrets): string {
  const url = new URL(databaseUrl);
  // Supabase's pooler expects the project after the role: `postgres.<ref>`.
  url.username = url.username.replace(/^[^.]*/, FUNCTIONS_ROLE);
  url.password = functionsPassword(databaseUrl, secrets);
  return url.href;
}

/**
 * The password of the functions' role, derived from the owner's password. The role belongs to the whole cluster, so
 * the stacks on two of its databases need the same password. If the URL has no password, a secret of the stack is used.
 */
export function functionsPassword(databaseUrl: string, { functions_password }: Secrets): string {
  const { password } = new URL(databaseUrl);
  if (password === "") return functions_password;
  return createHmac("sha256", decodeURIComponent(password)).update(FUNCTIONS_ROLE).digest("base64url");
}
