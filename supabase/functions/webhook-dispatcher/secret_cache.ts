import { Buffer } from "node:buffer";
import { decryptSecret } from "../_shared/webhooks/secret.ts";

const MAX_CACHED = 1_000;

const cache = new Map<string, Promise<string>>();

/**
 * Decrypts a stored secret once per process. Without this cache, a burst of attempts waits 100 ms for Web Crypto's
 * threads.
 *
 * @throws Error like `decryptSecret`
 */
export function decryptCached(stored: Uint8Array, subscriptionId: string): Promise<string> {
  // The subscription is part of the cache's key, because the secret can be decrypted only for its subscription.
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
