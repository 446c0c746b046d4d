import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import type { ISql } from "postgres";

/** The role as which the functions connect (10_roles_and_helpers.sql). */
export const FUNCTIONS_ROLE = "crm_functions";

const ITERATIONS = 4096;

/**
 * Sets the password of the functions' role.
 * @param sql as the role that applied the migrations
 */
export async function setFunctionsPassword(sql: ISql, password: string): Promise<void> {
  // `alter role` accepts no parameters, so it gets a verifier, which has no quotes and keeps the password out of logs.
  await sql.unsafe(`alter role ${FUNCTIONS_ROLE} password '${scramVerifier(password)}'`);
}

/**
 * The verifier that Postgres stores for a password (RFC 5802, `SCRAM-SHA-256$…`). `alter role … password` accepts it in
 * place of the password.
 */
function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, "sha256");
  const key = (name: string) => createHmac("sha256", salted).update(name).digest();
  const storedKey = createHash("sha256").update(key("Client Key")).digest("base64");
  const serverKey = key("Server Key").toString("base64");
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString("base64")}$${storedKey}:${serverKey}`;
}
