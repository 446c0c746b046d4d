import { crc32 } from "node:zlib";
import { KEY_PREFIX } from "../supabase/functions/_shared/contract/credentials.ts";
import { base62, randomToken } from "./random_token.ts";

/** The fewest base62 characters that hold any CRC-32. */
const CHECKSUM_LENGTH = 6;

/**
 * A new API key: the prefix, 256 random bits, and a checksum by which secret scanners know a key from chance. The
 * service itself never looks at the checksum.
 */
export function generateKey(): string {
  const key = KEY_PREFIX + randomToken();
  return key + checksum(key);
}

/** The last six characters of a key, from those before. */
export function checksum(key: string): string {
  // Unsigned: Deno 2.1 gives a signed number.
  return base62(BigInt(crc32(key) >>> 0), CHECKSUM_LENGTH);
}
