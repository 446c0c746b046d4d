import { readSecrets } from "../local/secrets.ts";
import { readSettings } from "../local/settings.ts";
import { StackError } from "../local/stack_error.ts";
import { isEncryptionKey } from "../../supabase/functions/_shared/webhooks/secret.ts";

/**
 * Reads the key that encrypts signing secrets: WEBHOOK_ENCRYPTION_KEY, otherwise that of the local stack on DATA_DIR.
 * @throws StackError if there is neither, or it is not the base64 of 32 bytes.
 */
export async function readEncryptionKey(): Promise<string> {
  const key = Deno.env.get("WEBHOOK_ENCRYPTION_KEY") ||
    (await readSecrets(readSettings().dataDir))?.webhook_encryption_key;
  if (!key) {
    throw new StackError("WEBHOOK_ENCRYPTION_KEY is not set: set it to the one that the functions have");
  }
  if (!isEncryptionKey(key)) {
    throw new StackError("WEBHOOK_ENCRYPTION_KEY must be the base64 of 32 bytes");
  }
  return key;
}
