// What commands read from the environment, or from the local stack on DATA_DIR.
import { readSecrets } from "../local/secrets.ts";
import { readSettings } from "../local/settings.ts";
import { StackError } from "../local/stack_error.ts";
import { readStackFile } from "../local/stack_file.ts";
import { isEncryptionKey } from "../../supabase/functions/_shared/webhooks/secret.ts";

/**
 * The console's address for links to customers: APP_ORIGIN. Without APP_ORIGIN, the console of the running local stack,
 * but only if the command uses that stack's database.
 * @throws StackError if there is neither.
 */
export async function readAppOrigin(): Promise<string> {
  const { appOrigin, databaseUrl, dataDir } = readSettings();
  if (appOrigin !== null) return appOrigin;
  const stack = await readStackFile(dataDir).catch(() => null);
  if (stack !== null && (databaseUrl ?? stack.database_url) === stack.database_url) return stack.console_url;
  throw new StackError(
    "APP_ORIGIN is not set: set it to the console's address, such as https://crm.example.com",
  );
}

/**
 * The key that encrypts signing secrets: WEBHOOK_ENCRYPTION_KEY. Without it, the key of the local stack.
 * @throws StackError if there is neither, or the key is not the base64 of 32 bytes.
 */
export async function readEncryptionKey(): Promise<string> {
  const key = Deno.env.get("WEBHOOK_ENCRYPTION_KEY") ||
    (await readSecrets(readSettings().dataDir))?.webhook_encryption_key;
  if (!key) {
    throw new StackError("WEBHOOK_ENCRYPTION_KEY is not set: set it to the key that the functions have");
  }
  if (!isEncryptionKey(key)) throw new StackError("WEBHOOK_ENCRYPTION_KEY must be the base64 of 32 bytes");
  return key;
}
