import { generateKeyPairSync, randomUUID } from "node:crypto";

/** A private key of ES256 as a JWK with its `kid`. */
export type SigningKey = Record<"kty" | "crv" | "x" | "y" | "d" | "kid" | "alg", string>;

/** Generates the key that signs access tokens. */
export function generateSigningKey(): SigningKey {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { ...privateKey.export({ format: "jwk" }), kid: randomUUID(), alg: "ES256" } as SigningKey;
}
