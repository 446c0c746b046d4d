import "reflect-metadata";
import * as x509 from "@peculiar/x509";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const DAY_MS = 86_400_000;

/** A certificate authority for loopback servers, as PEM texts. */
export interface Authority {
  certificate: string;
  key: string;
}

/** A certificate and its key, as Deno.listenTls takes them. */
export interface ServerCertificate {
  cert: string;
  key: string;
}

export async function createAuthority(name = "Test authority"): Promise<Authority> {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    signingAlgorithm: ALGORITHM,
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + DAY_MS),
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  });
  return { certificate: certificate.toString("pem"), key: await exportKey(keys.privateKey) };
}

/**
 * Issues a server certificate.
 *
 * @param names DNS names or IPv4 addresses for which the certificate is valid
 * @param days the start and the end of its validity, in days from now
 */
export async function issueCertificate(
  authority: Authority,
  names: string[],
  days: { from: number; until: number } = { from: -1, until: 1 },
): Promise<ServerCertificate> {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const signingKey = await crypto.subtle.importKey(
    "pkcs8",
    x509.PemConverter.decodeFirst(authority.key),
    ALGORITHM,
    false,
    ["sign"],
  );
  const certificate = await x509.X509CertificateGenerator.create({
    subject: "CN=Test receiver",
    issuer: new x509.X509Certificate(authority.certificate).subject,
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: ALGORITHM,
    notBefore: new Date(Date.now() + days.from * DAY_MS),
    notAfter: new Date(Date.now() + days.until * DAY_MS),
    extensions: [
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: /^[\d.]+$/.test(value) ? "ip" as const : "dns" as const, value })),
      ),
    ],
  });
  return { cert: certificate.toString("pem"), key: await exportKey(keys.privateKey) };
}

async function exportKey(key: CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await crypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY");
}
