import type { PlannedRequest } from "./plan.ts";

/** What `{n}` becomes has one length, so that Content-Length holds. */
const DIGITS = 12;
const ZEROS = "0".repeat(DIGITS);
const encoder = new TextEncoder();

/** A request as bytes, made once and sent many times. */
export interface Template {
  bytes: Uint8Array;
  /** Where the numbers belong. */
  places: number[];
  expect: number;
}

/** @param baseUrl what the request's path is under */
export function templateOf(
  { method, path, headers, body, expect }: PlannedRequest,
  { host, pathname }: URL,
): Template {
  const text = body === undefined ? "" : JSON.stringify(body);
  const fields = {
    Host: host,
    ...headers,
    ...(text !== "" && {
      "Content-Type": "application/json",
      "Content-Length": encoder.encode(text.replaceAll("{n}", ZEROS)).length,
    }),
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const [first, ...rest] = `${method} ${pathname}${path} HTTP/1.1\r\n${lines}\r\n${text}`.split("{n}");
  let whole = first!;
  const places: number[] = [];
  for (const part of rest) {
    places.push(encoder.encode(whole).length);
    whole += ZEROS + part;
  }
  return { bytes: encoder.encode(whole), places, expect };
}

/** The bytes of a request, with the number in its places. */
export function fill({ bytes, places }: Template, number: number): Uint8Array {
  if (places.length === 0) return bytes;
  const filled = bytes.slice();
  const digits = encoder.encode(String(number).padStart(DIGITS, "0"));
  for (const place of places) filled.set(digits, place);
  return filled;
}
