import { Buffer } from "node:buffer";
import { randomBytes, randomInt, scrypt, timingSafeEqual } from "node:crypto";

/** 16 MiB (128 * N * r) and some 50 ms of one processor: the database that it protects is a developer's own. */
const COST = { N: 2 ** 14, r: 8, p: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** As in GoTrue, where bcrypt reads no more bytes than that. */
const MAX_PASSWORD_BYTES = 72;
const MIN_PASSWORD_LENGTH = 6;

/** Of no password: compared with where there is no user, so that the time of an answer does not tell which it was. */
const HASH_OF_NOTHING = `$scrypt$${"A".repeat(22)}$${"A".repeat(43)}`;

/** Hashes a password, as `$scrypt$<salt>$<hash>` in base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt);
  return `$scrypt$${salt.toString("base64url")}$${hash.toString("base64url")}`;
}

/**
 * Whether the password is the one that was hashed.
 * @param stored Null if there is no user, or one without a password: takes as long, and is false.
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [, scheme, salt = "", hash = ""] = (stored ?? HASH_OF_NOTHING).split("$");
  const derived = await derive(password, Buffer.from(salt, "base64url"));
  const expected = Buffer.from(hash, "base64url");
  return stored !== null && scheme === "scrypt" && expected.length === derived.length &&
    timingSafeEqual(expected, derived);
}

/** Whether the password may be chosen. */
export function describeWeakness(password: string): "short" | "long" | null {
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) return "long";
  return password.length < MIN_PASSWORD_LENGTH ? "short" : null;
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
