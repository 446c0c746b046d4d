export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type JsonObject = { [key: string]: Json };

/** Whether a value is an object, and neither null nor a list. */
export function isObject(value: Json | undefined): value is JsonObject {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** Maximum number of invalid fields in one reply. */
export const MAX_DETAILS = 100;

/** A key that many libraries silently drop when they copy an object. */
export const RESERVED_NAME = "__proto__";

/** Whether Postgres can store this text unchanged: it accepts no NUL, and UTF-8 cannot encode unpaired surrogates. */
export function isStorableText(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

/** The text with U+FFFD in place of each character that Postgres cannot store. */
export function storableText(text: string): string {
  return text.replaceAll("\0", "\u{FFFD}").toWellFormed();
}

/**
 * Whether a number can be stored: 0, or a magnitude from 1e-15 to MAX_SAFE_INTEGER. Above this range a double loses
 * whole units. Below this range Postgres may need hundreds of digits for a number.
 */
export function isStorableNumber(value: number): boolean {
  const magnitude = Math.abs(value);
  return magnitude === 0 || (1e-15 <= magnitude && magnitude <= Number.MAX_SAFE_INTEGER);
}

/** Below this magnitude, 70 trillion, a double holds every cent. */
export const MAX_CENTS = 2 ** 46;
