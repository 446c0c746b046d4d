import { sha256 } from "../runtime/sha256.ts";

/** Every API key starts with this (spec 5.1). */
export const KEY_PREFIX = "svc_";

/** 32 random bytes in base62. */
const LINK_TOKEN = /^[0-9A-Za-z]{43}$/;

/** Whether a text may be an API key; what cannot be one is refused without asking the database. */
export function isKey(text: string): boolean {
  return text.startsWith(KEY_PREFIX);
}

/** Whether a text may be the token of a proposal's public link; what cannot be one is refused without asking the database. */
export function isLinkToken(text: string): boolean {
  return LINK_TOKEN.test(text);
}

/** SHA-256 of a key or token, in hex: all that the database ever learns of it. */
export const hashCredential = sha256;
