const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BYTES = 32;
/** The fewest base62 characters that hold any 32 bytes. */
const LENGTH = 43;

/** 256 random bits, in characters that need no escaping anywhere. */
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
