import type { ISql } from "postgres";
import { scramVerifier } from "./scram_verifier.ts";

/** The role of the migration `roles` that the functions connect as. */
export const FUNCTIONS_ROLE = "crm_functions";

/**
 * Sets the password of the functions' role.
 * @param sql as the role that applied the migrations
 */
export async function setFunctionsPassword(sql: ISql, password: string): Promise<void> {
  // `alter role` takes no parameters. A verifier has no quote, and keeps the password out of the log of statements.
  await sql.unsafe(`alter role ${FUNCTIONS_ROLE} password '${scramVerifier(password)}'`);
}
