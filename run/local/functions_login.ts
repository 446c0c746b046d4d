import { createHmac } from "node:crypto";
import { FUNCTIONS_ROLE } from "../operator/functions_password.ts";
import type { Secrets } from "./secrets.ts";

/** The same database as the functions reach it. */
export function functionsDatabaseUrl(databaseUrl: string, secrets: Secrets): string {
  const url = new URL(databaseUrl);
  // Supabase's pooler wants the project after the role: `postgres.<ref>`.
  url.username = url.username.replace(/^[^.]*/, FUNCTIONS_ROLE);
  url.password = functionsPassword(databaseUrl, secrets);
  return url.href;
}

/**
 * A role belongs to the whole cluster: stacks on two databases of it share its password. It follows from the owner's
 * password, so that neither stack takes the login from the other; where the URL has none, it is this stack's own.
 */
export function functionsPassword(databaseUrl: string, { functions_password }: Secrets): string {
  const { password } = new URL(databaseUrl);
  if (password === "") return functions_password;
  return createHmac("sha256", decodeURIComponent(password)).update(FUNCTIONS_ROLE).digest("base64url");
}
