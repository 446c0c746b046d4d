import { Buffer } from "node:buffer";
import { decryptSecret } from "../_shared/webhooks/secret.ts";

const MAX_CACHED = 1_000;

const cache = new Map<string, Promise<string>>();

/**
 * Decrypts a stored secret, once in a process. Without the cache, a burst of attempts waited 100 ms (measured) for the
 * threads of Web Crypto.
 *
 * @throws Error as `decryptSecret` does.
 */
export function decryptCached(stored: Uint8Array, subscriptionId: string): Promise<string> {
  // With the subscription, for which alone the secret opens.
  const key = `${subscriptionId} ${Buffer.from(stored).toString("base64")}`;
  let secret = cache.get(key);
  if (secret === undefined) {
    secret = decryptSecret(stored, subscriptionId);
    // A failure is not cached, so that attempts succeed once the operator has set the right key.
    secret.catch(() => cache.delete(key));
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(key, secret);
  }
  return secret;
}
