// node:crypto takes 1 µs for a key, Web Crypto 12 µs, because each of its calls goes through a thread.
import { createHash } from "node:crypto";

/** SHA-256, in hex, of texts (their UTF-8) and bytes, one after the other. */
export function sha256(...parts: (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
}
