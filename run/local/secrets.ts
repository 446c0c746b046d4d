import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { randomReadablePassword } from "./auth/passwords.ts";
import { generateSigningKey, type SigningKey } from "./auth/signing_key.ts";
import { writePrivateFile } from "./data_dir.ts";
import { StackError } from "./stack_error.ts";

/** The secrets that a stack generates once and keeps in DATA_DIR/secrets.json. */
export interface Secrets {
  superuser_password: string;
  postgres_password: string;
  /** Password of the functions' role if the owner's URL has no password; see functions_login.ts. */
  functions_password: string;
  /** Base64 of 32 bytes. */
  webhook_encryption_key: string;
  webhook_dispatcher_secret: string;
  auth_signing_key: SigningKey;
  /** The key that may invite people, like a secret key of a Supabase project. */
  service_key: string;
  demo_password: string;
  /** The API key that every start prints; null until the demo data exists. */
  demo_key: string | null;
}

/**
 * Reads DATA_DIR/secrets.json; null if it does not exist.
 * @throws StackError if it exists but cannot be read.
 */
export async function readSecrets(dataDir: string): Promise<Secrets | null> {
  const path = join(dataDir, "secrets.json");
  try {
    return JSON.parse(await Deno.readTextFile(path));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw new StackError(
      `${path} cannot be read: restore it, or delete ${dataDir} to start with an empty database`,
    );
  }
}

/**
 * Reads DATA_DIR/secrets.json. Creates the file at the first start, and adds secrets that it lacks.
 * @throws StackError if the file cannot be read, or is missing although a database needs its passwords.
 */
export async function loadSecrets(dataDir: string): Promise<Secrets> {
  const stored = await readSecrets(dataDir);
  const path = join(dataDir, "secrets.json");
  if (stored === null && existsSync(join(dataDir, "postgres"))) {
    throw new StackError(
      `${path} with the passwords is missing: restore it, or delete ${dataDir} to start with an empty database`,
    );
  }
  const secrets: Secrets = { ...generateSecrets(), ...stored };
  if (Object.keys(secrets).some((name) => !(name in (stored ?? {})))) await saveSecrets(dataDir, secrets);
  return secrets;
}

function generateSecrets(): Secrets {
  return {
    superuser_password: randomBytes(24).toString("base64url"),
    postgres_password: randomBytes(24).toString("base64url"),
    functions_password: randomBytes(24).toString("base64url"),
    webhook_encryption_key: randomBytes(32).toString("base64"),
    webhook_dispatcher_secret: randomBytes(32).toString("base64url"),
    auth_signing_key: generateSigningKey(),
    service_key: `sb_secret_${randomBytes(32).toString("base64url")}`,
    demo_password: randomReadablePassword(),
    demo_key: null,
  };
}

export async function saveSecrets(dataDir: string, secrets: Secrets): Promise<void> {
  await writePrivateFile(join(dataDir, "secrets.json"), JSON.stringify(secrets, null, 2) + "\n");
}
