import { checksum, KEY_PREFIX } from "../supabase/functions/_shared/contract/credentials.ts";
import { randomToken } from "./random_token.ts";

/**
 * Generates an API key: the prefix, 256 random bits, and a checksum by which secret scanners distinguish a key from
 * other text, and the service refuses what cannot be a key without a query.
 */
export function generateKey(): string {
  const key = KEY_PREFIX + randomToken();
  return key + checksum(key);
}
