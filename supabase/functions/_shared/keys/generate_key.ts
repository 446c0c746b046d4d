import { checksum, hashCredential, KEY_PREFIX } from "../contract/credentials.ts";
import { randomToken } from "./random_token.ts";

/** Characters of a key that are stored in plain text, so that a person can recognise the key. */
const VISIBLE_PREFIX_LENGTH = 12;

/**
 * Generates an API key: prefix, 256 random bits, checksum. The checksum lets secret scanners recognise a key, and lets
 * the service refuse a mistyped key without asking the database.
 */
export function generateKey(): string {
  const key = KEY_PREFIX + randomToken();
  return key + checksum(key);
}

/** A new secret of a key, and the parts of it that the database stores. */
export interface KeySecret {
  value: string;
  stored: { prefix: string; hash: string };
}

/** Generates a secret for a key. */
export function generateKeySecret(): KeySecret {
  const value = generateKey();
  return { value, stored: { prefix: value.slice(0, VISIBLE_PREFIX_LENGTH), hash: hashCredential(value) } };
}
