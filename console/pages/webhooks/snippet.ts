/** The code from the site's page "receivers" that verifies a delivery, with the variable that it needs. */
export function verifySnippet(secret: string): string {
  return `// CRM_WEBHOOK_SECRET=${secret}
${VERIFY}`;
}

const VERIFY = `import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";

const TOLERANCE_S = 300;

function isGenuine(raw, header, secrets) {
  const timestamp = header("X-Service-Timestamp") ?? "";
  if (!/^[0-9]{1,12}$/.test(timestamp)) return false;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_S) return false;
  const received = ["X-Service-Signature", "X-Service-Signature-Next"].map((name) => Buffer.from(header(name) ?? ""));
  return secrets.some((secret) => {
    const digest = createHmac("sha256", secret).update(\`\${timestamp}.\`).update(raw).digest("hex");
    const expected = Buffer.from(\`sha256=\${digest}\`);
    return received.some((bytes) => bytes.length === expected.length && timingSafeEqual(bytes, expected));
  });
}
`;

/** Prints the signature of a delivery, given its timestamp and a file with its body. */
export const SIGN_COMMAND = `{ printf '%s.' "$TIMESTAMP"; cat body.json; } |
  openssl dgst -sha256 -hmac "$CRM_WEBHOOK_SECRET" -r | cut -d ' ' -f 1`;
