import { Buffer } from "node:buffer";

/**
 * Signing secrets are stored encrypted, so that nobody can sign with a database dump alone. Stored form: a version
 * byte, for a later key or cipher; the 12-byte nonce; the AES-256-GCM ciphertext with its tag. The additional data is
 * the id of the subscription, so that a secret copied to another subscription does not decrypt.
 *
 * Uses Web Crypto, because on Deno 2.1, which Supabase runs, node:crypto decrypts GCM without verifying the tag.
 */
const VERSION = 2;
const CIPHER = "AES-GCM";
const NONCE_BYTES = 12;
const KEY_BYTES = 32;
const SECRET_BYTES = 32;

/** Generates a signing secret: `whsec_` and 32 random bytes in base64url (spec 2.6). */
export function generateSecret(): string {
  const random = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return `whsec_${Buffer.from(random).toString("base64url")}`;
}

/** Creates the signing secret of a subscription: encrypted for the database, and in plain text for the reply. */
export async function createSecret(subscriptionId: string) {
  const secret = generateSecret();
  return { encrypted: await encryptSecret(secret, subscriptionId), reveal: { secret } };
}

/**
 * Encrypts a secret for storage, and returns the base64 of the stored form.
 *
 * @param subscriptionId the id of the subscription; `decryptSecret` needs the same id to decrypt the secret
 * @param keyText base64 of 32 bytes; the variable WEBHOOK_ENCRYPTION_KEY by default
 * @throws Error if the key is missing or is not the base64 of 32 bytes
 */
export async function encryptSecret(
  secret: string,
  subscriptionId: string,
  keyText?: string,
): Promise<string> {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const plain = new TextEncoder().encode(secret);
  const sealed = await crypto.subtle.encrypt(
    cipherFor(subscriptionId, nonce),
    await encryptionKey(keyText),
    plain,
  );
  return Buffer.concat([Buffer.of(VERSION), nonce, new Uint8Array(sealed)]).toString("base64");
}

/**
 * The id with which the value of a subscription's own header is encrypted. It differs from the id for the secret, so
 * that neither decrypts in the other's place. Otherwise deliveries could reveal the secret as a header, or be signed
 * with a header value that people know.
 */
export const headerOf = (subscriptionId: string) => `header of ${subscriptionId}`;

/**
 * Decrypts a stored secret.
 *
 * @param subscriptionId the subscription that has the secret
 * @param keyText see {@link encryptSecret}
 * @throws Error if the key is missing or wrong, or the bytes were altered or belong to another subscription
 */
export async function decryptSecret(
  stored: Uint8Array,
  subscriptionId: string,
  keyText?: string,
): Promise<string> {
  if (stored[0] !== VERSION) throw new Error(`Webhook secret: stored version ${stored[0]} is unknown`);
  const nonce = stored.slice(1, 1 + NONCE_BYTES);
  const sealed = stored.slice(1 + NONCE_BYTES);
  const key = await encryptionKey(keyText);
  try {
    const plain = await crypto.subtle.decrypt(cipherFor(subscriptionId, nonce), key, sealed);
    return new TextDecoder().decode(plain);
  } catch (cause) {
    throw new Error("Webhook secret: WEBHOOK_ENCRYPTION_KEY does not decrypt it for this subscription", {
      cause,
    });
  }
}

function cipherFor(subscriptionId: string, nonce: BufferSource): AesGcmParams {
  return { name: CIPHER, iv: nonce, additionalData: new TextEncoder().encode(subscriptionId.toLowerCase()) };
}

/** Whether a text can be the value of WEBHOOK_ENCRYPTION_KEY: the base64 of 32 bytes. */
export function isEncryptionKey(text: string): boolean {
  return Buffer.from(text, "base64").length === KEY_BYTES;
}

async function encryptionKey(text = Deno.env.get("WEBHOOK_ENCRYPTION_KEY")): Promise<CryptoKey> {
  if (!text) throw new Error("WEBHOOK_ENCRYPTION_KEY is not set: it must be the base64 of 32 random bytes");
  if (!isEncryptionKey(text)) throw new Error("WEBHOOK_ENCRYPTION_KEY must be the base64 of 32 bytes");
  const bytes = new Uint8Array(Buffer.from(text, "base64"));
  return await crypto.subtle.importKey("raw", bytes, CIPHER, false, ["encrypt", "decrypt"]);
}
