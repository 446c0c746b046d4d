import { checksum, hashCredential, KEY_PREFIX } from "../contract/credentials.ts";
import { randomToken } from "./random_token.ts";

/** The first characters of a key, which are stored in plain text so that a person can recognise it. */
const VISIBLE_PREFIX_LENGTH = 12;

/**
 * Generates an API key: the prefix, 256 random bits, and a checksum by which secret scanners distinguish a key from
 * other text, and the service refuses what cannot be a key without a query.
 */
export function generateKey(): string {
  const key = KEY_PREFIX + randomToken();
  return key + checksum(key);
}

/** A new value of a key, with what the database stores of it: it never gets the value itself. */
export interface KeySecret {
  value: string;
  stored: { prefix: string; hash: string };
}

/** Generates a value of a key. */
export function generateKeySecret(): KeySecret {
  const value = generateKey();
  return { value, stored: { prefix: value.slice(0, VISIBLE_PREFIX_LENGTH), hash: hashCredential(value) } };
}
