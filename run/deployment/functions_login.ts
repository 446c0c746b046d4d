import type { Sql } from "postgres";
import { firstLine, StackError } from "../local/stack_error.ts";
import { FUNCTIONS_ROLE, setFunctionsPassword } from "../operator/functions_password.ts";
import { firstAnswer, openConnection } from "../local/sql.ts";

/** Several, because a pooler may cache the old password. Few, because a pooler may block a client that often fails. */
const TRIES = 3;
const PAUSE_MS = 5_000;
/** How long a login may take, in seconds. */
const TIMEOUT_S = 10;

/**
 * Gives the functions' role the password in FUNCTIONS_DATABASE_URL, unless the role has it already.
 * @param sql as the owner of the schema
 * @returns whether the password was set.
 * @throws StackError if the role cannot log in with it afterwards.
 */
export async function ensureFunctionsLogin(sql: Sql, functionsDatabaseUrl: string): Promise<boolean> {
  if (await canLogIn(functionsDatabaseUrl)) return false;
  await setFunctionsPassword(sql, decodeURIComponent(new URL(functionsDatabaseUrl).password));
  let error: string | null = null;
  for (let tries = 0; tries < TRIES; tries++) {
    error = await tryLogin(functionsDatabaseUrl);
    if (error === null) return true;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new StackError(
    `The password of ${FUNCTIONS_ROLE} is set, but the role cannot log in with FUNCTIONS_DATABASE_URL: ${error}`,
  );
}

export async function canLogIn(functionsDatabaseUrl: string): Promise<boolean> {
  return await tryLogin(functionsDatabaseUrl) === null;
}

/** Returns why the login failed; null if the functions' role is logged in. */
async function tryLogin(url: string): Promise<string | null> {
  await using sql = openConnection(url, "crm-deploy", TIMEOUT_S);
  try {
    const query = sql<[{ user: string }]>`select current_user as user`;
    const [row] = await firstAnswer(sql, query, TIMEOUT_S);
    return row.user === FUNCTIONS_ROLE ? null : `it logs in as ${row.user}`;
  } catch (error) {
    return firstLine(error);
  }
}
