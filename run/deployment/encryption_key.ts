import { Buffer } from "node:buffer";
import type { Sql } from "postgres";
import { hasTable } from "../local/sql.ts";
import { StackError } from "../local/stack_error.ts";
import { decryptSecret } from "../../supabase/functions/_shared/webhooks/secret.ts";

/**
 * Checks that the encryption key decrypts the newest signing secret. With another key no delivery could be signed, and
 * every subscription would need a new secret.
 * @param sql as the owner of the schema
 * @returns whether there was a secret to check.
 * @throws StackError if the key does not decrypt it.
 */
export async function checkEncryptionKey(sql: Sql, key: string): Promise<boolean> {
  if (!await hasTable(sql, "crm.webhook_secrets")) return false;
  const [stored] = await sql<{ secret: Uint8Array; id: string }[]>`
    select secret, subscription_id as id from crm.webhook_secrets order by subscription_id desc limit 1
  `;
  if (stored === undefined) return false;
  const opens = await decryptSecret(Buffer.from(stored.secret), stored.id, key).then(() => true, () => false);
  if (opens) return true;
  throw new StackError(
    "Nothing was done: WEBHOOK_ENCRYPTION_KEY does not decrypt the stored signing secrets. Set it to the key that " +
      "the functions have. If that key is lost: deploy with --replace-encryption-key, and rotate each subscription's secret",
  );
}
