// node:crypto rather than Web Crypto, whose every call goes through a thread: 1 µs for a key where that takes 12.
import { createHash } from "node:crypto";

/** SHA-256 of a text's UTF-8, in hex. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
