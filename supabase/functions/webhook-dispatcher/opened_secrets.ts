import { Buffer } from "node:buffer";
import { decryptSecret } from "../_shared/webhooks/secret.ts";

const MAX_OPENED = 1_000;

const opened = new Map<string, Promise<string>>();

/**
 * The secret behind its stored form, opened once in a process: a burst of attempts that each opened it anew was
 * measured to wait 100 ms for the threads that Web Crypto works in.
 *
 * @throws Error as `decryptSecret` does.
 */
export function openSecret(stored: Uint8Array): Promise<string> {
  const name = Buffer.from(stored).toString("base64");
  let secret = opened.get(name);
  if (secret === undefined) {
    secret = decryptSecret(stored);
    // A failure is not kept: the operator may put the right key in place.
    secret.catch(() => opened.delete(name));
    if (opened.size >= MAX_OPENED) opened.clear();
    opened.set(name, secret);
  }
  return secret;
}
