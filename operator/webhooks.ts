import { Buffer } from "node:buffer";
import type { Sql } from "postgres";
import {
  decryptSecret,
  encryptSecret,
  generateSecret,
} from "../supabase/functions/_shared/webhooks/secret.ts";
import { OperatorError } from "./errors.ts";
import { findWorkspace, operate } from "./operator.ts";

/**
 * Gives a subscription a new signing secret. It is in this answer and nowhere else: the database gets it encrypted.
 * @param key Base64 of 32 bytes, the one that the functions have.
 * @param force Also where the key does not open the present secret: the way on after a key was lost.
 * @throws OperatorError where there is no such subscription, or the key is not that of the functions.
 */
export function rotateSecret(
  sql: Sql,
  id: string,
  key: string,
  force: boolean,
): Promise<{ id: string; secret: string }> {
  return sql.begin(async (sql) => {
    const subscription = { workspace_id: await findWorkspace(sql, "subscription", id), id };
    const present = await operate(sql, "subscription_read_secret", subscription);
    // With another key than the dispatcher's, nothing would ever be delivered again.
    if (!force && !await opens(key, present.secret)) {
      throw new OperatorError("wrong_encryption_key", [], { verb: "subscription_rotate", args: { id } });
    }
    const secret = generateSecret();
    const sealed = await encryptSecret(secret, key);
    await operate(sql, "subscription_rotate", { ...subscription, secret: sealed });
    return { id, secret };
  });
}

async function opens(key: string, sealed: string): Promise<boolean> {
  return await decryptSecret(Buffer.from(sealed, "base64"), key).then(() => true, () => false);
}
