import { crc32 } from "node:zlib";
import { sha256 } from "../runtime/sha256.ts";

/** Every API key starts with this (spec 5.1). */
export const KEY_PREFIX = "svc_";

/** The digits of base62, in order. */
export const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** How many base62 characters a CRC-32 needs. */
const CHECKSUM_LENGTH = 6;

/**
 * The prefix, 32 random bytes in base62, the workspace's slot, and the checksum of everything before it. Keys from
 * before slots existed have no slot.
 */
const KEY = /^svc_[0-9A-Za-z]{43}([0-9A-Za-z]{4})?[0-9A-Za-z]{6}$/;

/** 32 random bytes in base62, and the slot. Tokens from before slots existed have no slot. */
export const LINK_TOKEN = /^[0-9A-Za-z]{43}([0-9A-Za-z]{4})?$/;

/** Slots have 23 bits, the most that 4 base62 characters can hold. */
const SLOT_BITS = 0x7fffff;
const SLOT_LENGTH = 4;

/**
 * Whether a text has the form of an API key and the right checksum. The service refuses any other text without asking
 * the database.
 */
export function isKey(text: string): boolean {
  return KEY.test(text) && text.endsWith(checksum(text.slice(0, -CHECKSUM_LENGTH)));
}

/** The last six characters of a key: the CRC-32, in base62, of the ASCII characters before them. */
export function checksum(text: string): string {
  // `>>> 0`, because crc32 returns a signed number on Deno 2.1, on which Supabase's edge runtime is built.
  return inBase62(crc32(text) >>> 0, CHECKSUM_LENGTH);
}

/**
 * The slot of a workspace: the last 23 bits of its id, in base62. With several databases, the slot determines which
 * database has the workspace. nodes.slot_of in run/nodes/proxy.sql computes the same slot.
 */
export function slotOf(workspaceId: string): string {
  return inBase62(parseInt(workspaceId.slice(-6), 16) & SLOT_BITS, SLOT_LENGTH);
}

function inBase62(number: number, length: number): string {
  let digits = "";
  for (let rest = number; digits.length < length; rest = Math.floor(rest / 62)) {
    digits = ALPHABET[rest % 62] + digits;
  }
  return digits;
}

/** Whether a text has the form of a proposal link's token. Any other text gets not_found without a database call. */
export function isLinkToken(text: string): boolean {
  return LINK_TOKEN.test(text);
}

/** What the database stores in place of a key or token: its SHA-256, in hex. */
export const hashCredential = sha256;

/** What a door (postgres/door.ts) receives for a key or token, in hex: the hash, then the slot if there is one. */
export function doorCredential(text: string): string {
  const [, slot = ""] = text.match(KEY) ?? text.match(LINK_TOKEN) ?? [];
  return hashCredential(text) + slotInHex(slot);
}

/** The ASCII codes of a slot, in hex. */
export function slotInHex(slot: string): string {
  return Array.from(slot, (digit) => digit.charCodeAt(0).toString(16)).join("");
}
