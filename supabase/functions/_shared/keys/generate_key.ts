import { checksum, hashCredential, KEY_PREFIX, slotOf } from "../contract/credentials.ts";
import { randomToken } from "./random_token.ts";

/** Characters of a key that are stored in plain text, so that a person can recognise the key. */
const VISIBLE_PREFIX_LENGTH = 12;

/**
 * Generates an API key for a workspace: prefix, 256 random bits, slot, checksum. The checksum lets secret scanners
 * recognise a key, and lets the service refuse a mistyped key without asking the database.
 *
 * @param workspaceId if absent, the key names a new random workspace, so every database refuses it
 */
export function generateKey(workspaceId: string = crypto.randomUUID()): string {
  const key = KEY_PREFIX + randomToken() + slotOf(workspaceId);
  return key + checksum(key);
}

/** A key's new secret, and what the database stores of it. */
export interface KeySecret {
  value: string;
  stored: { prefix: string; hash: string };
}

export function generateKeySecret(workspaceId: string): KeySecret {
  const value = generateKey(workspaceId);
  return { value, stored: { prefix: value.slice(0, VISIBLE_PREFIX_LENGTH), hash: hashCredential(value) } };
}
