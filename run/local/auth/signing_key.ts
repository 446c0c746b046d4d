import { Buffer } from "node:buffer";
import { createECDH, randomUUID } from "node:crypto";

/** A private key of ES256 as a JWK with its `kid`. */
export type SigningKey = Record<"kty" | "crv" | "x" | "y" | "d" | "kid" | "alg", string>;

const BYTES = 32;

/** Generates the key that signs access tokens. Builds the JWK from numbers, because Deno 2.1 cannot export a JWK. */
export function generateSigningKey(): SigningKey {
  const pair = createECDH("prime256v1");
  const point = pair.generateKeys();
  // The library drops leading zeros.
  const d = pair.getPrivateKey("hex").padStart(2 * BYTES, "0");
  return {
    kty: "EC",
    crv: "P-256",
    // The first byte is a tag. The two coordinates follow.
    x: point.subarray(1, 1 + BYTES).toString("base64url"),
    y: point.subarray(1 + BYTES).toString("base64url"),
    d: Buffer.from(d, "hex").toString("base64url"),
    kid: randomUUID(),
    alg: "ES256",
  };
}
