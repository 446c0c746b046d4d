// node:crypto, because the calls of Web Crypto go through threads, which takes time: see secret_cache.ts.
import { createHmac } from "node:crypto";

/** The values that are signed and sent for one delivery. */
export interface SignedDelivery {
  event: string;
  deliveryId: string;
  /** The raw bytes of the body, so that the signed bytes are those that are sent. */
  body: Uint8Array;
  /** Unix time in seconds. */
  timestamp: number;
  secret: string;
}

/** The four headers of a delivery (spec 6.3). */
export function signedHeaders(
  { event, deliveryId, body, timestamp, secret }: SignedDelivery,
): Record<string, string> {
  return {
    "X-Service-Event": event,
    "X-Service-Delivery-Id": deliveryId,
    "X-Service-Timestamp": String(timestamp),
    "X-Service-Signature": `sha256=${signature(secret, timestamp, body)}`,
  };
}

/** The hex HMAC-SHA256 of `<timestamp>.<raw body>`, keyed with the whole secret, prefix included (spec 6.4). */
export function signature(secret: string, timestamp: number, body: Uint8Array): string {
  return createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest("hex");
}
