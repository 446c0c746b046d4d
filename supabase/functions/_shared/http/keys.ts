import { sha256 } from "../runtime/sha256.ts";

/** Every API key starts with this (spec 5.1); what doesn't is refused without asking the database. */
export const KEY_PREFIX = "svc_";

/** SHA-256 of a key, in hex: all that the database ever learns of it. */
export const hashKey = (key: string): string => sha256(key);
