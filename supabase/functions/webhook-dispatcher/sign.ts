// Uses node:crypto, because Web Crypto hands each call to a thread, which takes time (see secret_cache.ts).
import { createHmac } from "node:crypto";

/** The values that are signed and sent for one delivery. */
export interface SignedDelivery {
  event: string;
  eventId: string;
  deliveryId: string;
  /** The bytes of the body as they are sent. */
  body: Uint8Array;
  /** Unix time in seconds. */
  timestamp: number;
  secret: string;
  /** The next secret, while the subscription's secret is being replaced; otherwise null. */
  nextSecret: string | null;
}

/**
 * The headers of a delivery: the four of spec 6.3 and the id of its event. While the secret is being replaced, a
 * further header has a signature with the next secret. The header of spec 6.3 keeps the old secret's signature, for
 * receivers that do not know the next secret yet.
 */
export function signedHeaders(
  { event, eventId, deliveryId, body, timestamp, secret, nextSecret }: SignedDelivery,
): Record<string, string> {
  return {
    "X-Service-Event": event,
    "X-Service-Event-Id": eventId,
    "X-Service-Delivery-Id": deliveryId,
    "X-Service-Timestamp": String(timestamp),
    "X-Service-Signature": `sha256=${signature(secret, timestamp, body)}`,
    ...(nextSecret && { "X-Service-Signature-Next": `sha256=${signature(nextSecret, timestamp, body)}` }),
  };
}

/** The hex HMAC-SHA256 of `<timestamp>.<raw body>`, keyed with the whole secret, prefix included (spec 6.4). */
export function signature(secret: string, timestamp: number, body: Uint8Array): string {
  return createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest("hex");
}
