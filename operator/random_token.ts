const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BYTES = 32;
/** Every value of 32 bytes fits in 43 base62 characters, and not in 42. */
const LENGTH = 43;

/** Generates 256 random bits, in letters and digits, which need no escaping in a URL or a shell. */
export function randomToken(): string {
  const secret = crypto.getRandomValues(new Uint8Array(BYTES));
  return base62(secret.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n), LENGTH);
}

/** The last `length` digits of a number in base62. */
export function base62(number: bigint, length: number): string {
  let text = "";
  for (let rest = number; text.length < length; rest /= 62n) text = ALPHABET[Number(rest % 62n)] + text;
  return text;
}
