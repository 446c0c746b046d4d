/** What checks a delivery, as docs/webhooks.md has it, with the line of the environment that it needs. */
export function verifySnippet(secret: string): string {
  return `// CRM_WEBHOOK_SECRET=${secret}
${VERIFY}`;
}

const VERIFY = `import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";

const TOLERANCE_S = 300;

function isGenuine(raw: Uint8Array, headers: Headers, secret: string): boolean {
  const timestamp = headers.get("X-Service-Timestamp") ?? "";
  if (!/^[0-9]{1,12}$/.test(timestamp)) return false;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_S) return false;
  const digest = createHmac("sha256", secret).update(\`\${timestamp}.\`).update(raw).digest("hex");
  const expected = Buffer.from(\`sha256=\${digest}\`);
  const received = Buffer.from(headers.get("X-Service-Signature") ?? "");
  return received.length === expected.length && timingSafeEqual(received, expected);
}
`;

/** Prints the signature that a delivery must have, given its timestamp and the file with its body. */
export const SIGN_COMMAND = `{ printf '%s.' "$TIMESTAMP"; cat body.json; } |
  openssl dgst -sha256 -hmac "$CRM_WEBHOOK_SECRET" -r | cut -d ' ' -f 1`;
