import { ALPHABET } from "../contract/credentials.ts";

const BYTES = 32;
/** The base62 characters that 32 bytes need. */
const LENGTH = 43;

/** Generates 256 random bits, written in letters and digits, which need no escaping in a URL or a shell. */
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
