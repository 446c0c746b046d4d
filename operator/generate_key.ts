import { crc32 } from "node:zlib";
import { KEY_PREFIX } from "../supabase/functions/_shared/contract/credentials.ts";
import { base62, randomToken } from "./random_token.ts";

/** Every CRC-32 fits in six base62 characters, and not in five. */
const CHECKSUM_LENGTH = 6;

/**
 * Generates an API key: the prefix, 256 random bits, and a checksum by which secret scanners distinguish a key from
 * other text. The service itself never checks the checksum.
 */
export function generateKey(): string {
  const key = KEY_PREFIX + randomToken();
  return key + checksum(key);
}

/** The last six characters of a key, computed from the characters before them. */
export function checksum(key: string): string {
  // `>>> 0`, because Deno 2.1 returns a signed number.
  return base62(BigInt(crc32(key) >>> 0), CHECKSUM_LENGTH);
}
