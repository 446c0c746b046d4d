import { encodeHex } from "./hex.ts";

/** Every API key starts with this (spec 5.1); what doesn't is refused without asking the database. */
export const KEY_PREFIX = "svc_";

/** SHA-256 of a key, in hex: all that the database ever learns of it. */
export async function hashKey(key: string): Promise<string> {
  return encodeHex(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key)));
}
