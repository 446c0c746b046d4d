import { crc32 } from "node:zlib";
import { sha256 } from "../runtime/sha256.ts";

/** Every API key starts with this (spec 5.1). */
export const KEY_PREFIX = "svc_";

/** The digits of base62, in order. */
export const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The base62 characters that a CRC-32 needs. */
const CHECKSUM_LENGTH = 6;

/** The prefix, 32 random bytes in base62 and the checksum of both. */
const KEY = /^svc_[0-9A-Za-z]{49}$/;

/** 32 random bytes in base62. */
const LINK_TOKEN = /^[0-9A-Za-z]{43}$/;

/**
 * Whether a text has the form of an API key and the right checksum. Any other text is refused without asking the
 * database.
 */
export function isKey(text: string): boolean {
  return KEY.test(text) && text.endsWith(checksum(text.slice(0, -CHECKSUM_LENGTH)));
}

/** The last six characters of a key: the CRC-32, in base62, of the ASCII characters before them. */
export function checksum(text: string): string {
  // On Deno 2.1, on which Supabase's edge runtime is built, crc32 returns a signed number.
  let rest = crc32(text) >>> 0;
  let digits = "";
  while (digits.length < CHECKSUM_LENGTH) {
    digits = ALPHABET[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** Whether a text has the form of a proposal link's token. Any other text is not_found without asking the database. */
export function isLinkToken(text: string): boolean {
  return LINK_TOKEN.test(text);
}

/** SHA-256 of a key or token, in hex: the database never receives the key or token itself. */
export const hashCredential = sha256;
