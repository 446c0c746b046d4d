import { ALPHABET } from "../contract/credentials.ts";

const BYTES = 32;
/** Every value of 32 bytes fits in 43 base62 characters, and not in 42. */
const LENGTH = 43;

/** Generates 256 random bits, in letters and digits, which need no escaping in a URL or a shell. */
export function randomToken(): string {
  const secret = crypto.getRandomValues(new Uint8Array(BYTES));
  let text = "";
  for (
    let rest = secret.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
    text.length < LENGTH;
    rest /= 62n
  ) {
    text = ALPHABET[Number(rest % 62n)] + text;
  }
  return text;
}
