import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";

/** Seconds for which a code is shown (RFC 6238, as authenticator apps use it). */
const PERIOD = 30;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** A new shared secret of 160 bits, in base 32. */
export function newSecret(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => ALPHABET[byte % 32]).join("");
}

/** The number of the time step that contains a moment (milliseconds since 1970). */
export const stepAt = (at: number) => Math.floor(at / 1000 / PERIOD);

/** The code of six digits for a time step (RFC 4226). */
export function codeAt(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hash = createHmac("sha1", fromBase32(secret)).update(counter).digest();
  const truncated = hash.readUInt32BE(hash[19]! & 15) & 0x7fffffff;
  return String(truncated % 1_000_000).padStart(6, "0");
}

/** The time step of a code; null for a wrong code. Accepts the steps next to the current one, because clocks differ. */
export function stepOf(secret: string, code: string, now: number): number | null {
  const present = stepAt(now);
  const typed = Buffer.from(code.trim());
  const matches = (step: number) => {
    const expected = Buffer.from(codeAt(secret, step));
    return typed.length === expected.length && timingSafeEqual(typed, expected);
  };
  return [present, present - 1, present + 1].find(matches) ?? null;
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)));
}
