import { crc32 } from "node:zlib";
import { KEY_PREFIX } from "../../supabase/functions/_shared/keys.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SECRET_BYTES = 32;
/** The fewest base62 characters that hold any 32 bytes, and any CRC-32. */
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;

/**
 * A new API key: the prefix, 256 random bits, and a checksum by which secret scanners know a key from chance. The
 * service itself never looks at the checksum.
 */
export function generateKey(): string {
  const secret = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  const number = secret.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  const key = KEY_PREFIX + base62(number, SECRET_LENGTH);
  return key + checksum(key);
}

/** The last six characters of a key, from those before. */
export function checksum(key: string): string {
  // Unsigned: Deno 2.1 gives a signed number.
  return base62(BigInt(crc32(key) >>> 0), CHECKSUM_LENGTH);
}

function base62(number: bigint, length: number): string {
  let text = "";
  for (let rest = number; text.length < length; rest /= 62n) text = ALPHABET[Number(rest % 62n)] + text;
  return text;
}
