import { Buffer } from "node:buffer";
import type { Sql } from "postgres";
import {
  decryptSecret,
  encryptSecret,
  generateSecret,
} from "../../supabase/functions/_shared/webhooks/secret.ts";
import { OperatorError } from "./errors.ts";
import { findWorkspace, operate } from "./operator.ts";

/**
 * Replaces the signing secret of a subscription. Only this result has the secret; the database gets it encrypted.
 * @param key the encryption key of the functions: base64 of 32 bytes
 * @param overlapSeconds for how long the current secret also signs
 * @param force whether to rotate even if the key does not decrypt the current secret, as after the loss of a key
 * @throws OperatorError if there is no such subscription, or the key is not the functions' key.
 */
export function rotateSecret(
  sql: Sql,
  id: string,
  key: string,
  overlapSeconds: number,
  force: boolean,
): Promise<{ id: string; secret: string; old_secret_until: string | null }> {
  return sql.begin(async (sql) => {
    const subscription = { workspace_id: await findWorkspace(sql, "subscription", id), id };
    const present = await operate(sql, "subscription_read_secret", subscription);
    // The functions cannot decrypt a secret that was encrypted with another key, so no delivery could be signed.
    if (!force && !await decrypts(key, id, present.secret)) {
      throw new OperatorError("wrong_encryption_key", [], { verb: "subscription_rotate", args: { id } });
    }
    const secret = generateSecret();
    const encrypted = await encryptSecret(secret, id, key);
    const { old_secret_until } = await operate(sql, "subscription_rotate", {
      ...subscription,
      secret: encrypted,
      overlap_seconds: overlapSeconds,
    });
    return { id, secret, old_secret_until };
  });
}

async function decrypts(key: string, id: string, encrypted: string): Promise<boolean> {
  return await decryptSecret(Buffer.from(encrypted, "base64"), id, key).then(() => true, () => false);
}
