import type { ISql } from "postgres";
import { scramVerifier } from "./scram_verifier.ts";

/** The role as which the functions connect (migration `roles`). */
export const FUNCTIONS_ROLE = "crm_functions";

/**
 * Sets the password of the functions' role.
 * @param sql as the role that applied the migrations
 */
export async function setFunctionsPassword(sql: ISql, password: string): Promise<void> {
  // `alter role` accepts no parameters. A verifier contains no quotes, and keeps the password out of Postgres's log.
  await sql.unsafe(`alter role ${FUNCTIONS_ROLE} password '${scramVerifier(password)}'`);
}
