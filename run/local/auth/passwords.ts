import { Buffer } from "node:buffer";
import { randomBytes, randomInt, scrypt, timingSafeEqual } from "node:crypto";
import { AuthError } from "./errors.ts";

/** 16 MiB (128 * N * r) and about 50 ms of one processor: enough for a developer's own database. */
const COST = { N: 2 ** 14, r: 8, p: 1 };
const HASH_BYTES = 32;
const MIN_PASSWORD_LENGTH = 6;

/** Hashes a password as `$scrypt$<salt>$<hash>` in base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  return `$scrypt$${salt.toString("base64url")}$${(await derive(password, salt)).toString("base64url")}`;
}

/**
 * Whether `stored` is the hash of this password.
 * @param stored null or empty if the user has no password: no password is right then
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  if (!stored) return false;
  const [, , salt = "", hash = ""] = stored.split("$");
  const derived = await derive(password, Buffer.from(salt, "base64url"));
  return timingSafeEqual(Buffer.from(hash, "base64url"), derived);
}

/** @throws AuthError `weak_password`. */
export function requireStrength(password: string): void {
  if (password.length >= MIN_PASSWORD_LENGTH) return;
  throw new AuthError(422, "weak_password", "Password should be at least 6 characters.");
}

function derive(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, HASH_BYTES, COST, (error, key) => error ? reject(error) : resolve(key as Buffer));
  });
}

/** Generates a password of 48 random bits that is easy to read and type, such as `doga-mife-ruso-kave`. */
export function randomReadablePassword(): string {
  const letter = (letters: string) => letters[randomInt(letters.length)]!;
  const syllable = () => letter("bdfgjklmnprstvxz") + letter("aeio");
  return Array.from({ length: 4 }, () => syllable() + syllable()).join("-");
}
