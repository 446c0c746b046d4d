import { hashKey } from "../_shared/http/keys.ts";

/** 32 random bytes in base62. What doesn't look like it is refused without asking the database. */
const TOKEN = /^[0-9A-Za-z]{43}$/;

/** Whether a text may be the token of a proposal's public link. */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** SHA-256 of a token, in hex: all that the database ever learns of it, as of an API key. */
export const hashToken = hashKey;
