/** A private key of ES256 as a JWK with its `kid`. */
export type SigningKey = Record<"kty" | "crv" | "x" | "y" | "d" | "kid" | "alg", string>;

/** Generates the key that signs access tokens. By Web Crypto, because node:crypto of Deno 2.1 exports no private JWK. */
export async function generateSigningKey(): Promise<SigningKey> {
  const { privateKey } = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
    "sign",
    "verify",
  ]) as CryptoKeyPair;
  const { kty, crv, x, y, d } = await crypto.subtle.exportKey("jwk", privateKey);
  return { kty: kty!, crv: crv!, x: x!, y: y!, d: d!, kid: crypto.randomUUID(), alg: "ES256" };
}
