import { sha256 } from "../runtime/sha256.ts";

/** Every API key starts with this (spec 5.1). */
export const KEY_PREFIX = "svc_";

/** 32 random bytes in base62. */
const LINK_TOKEN = /^[0-9A-Za-z]{43}$/;

/** Whether a text has the form of an API key. Any other text is an invalid key, without a query to the database. */
export function isKey(text: string): boolean {
  return text.startsWith(KEY_PREFIX);
}

/**
 * Whether a text has the form of a proposal link's token. Any other text is not_found, without a query to the database.
 */
export function isLinkToken(text: string): boolean {
  return LINK_TOKEN.test(text);
}

/** SHA-256 of a key or token, in hex. The database never receives the key or token itself. */
export const hashCredential = sha256;
