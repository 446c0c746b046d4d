import { generateKey } from "../../../supabase/functions/_shared/keys/generate_key.ts";
import { randomToken } from "../../../supabase/functions/_shared/keys/random_token.ts";

/**
 * A request. At each sending, `{n}` in its path, headers or body is replaced by a new number, and `{n8}` by the last
 * eight digits of that number. In its path and headers, `{key}` becomes a new well-formed key, and `{token}` the token
 * of a proposal link.
 */
export interface PlannedRequest {
  method: string;
  /** Under the server's base URL. */
  path: string;
  headers: Record<string, string>;
  body?: unknown;
  /** The expected status; absent: any. */
  expect?: number;
  /** The kind of request: its waits are kept apart from those of other kinds. */
  kind?: string;
}

/** Every number is padded to this many digits, so that Content-Length stays right. */
const DIGITS = 12;
const encoder = new TextEncoder();

/** A request, built once and sent many times. */
interface Template extends Pick<PlannedRequest, "expect" | "kind"> {
  head: string;
  /** Text if each request puts its own number into it; otherwise bytes, encoded once. */
  body: string | Uint8Array;
}

export function templateOf(
  { method, path, headers, body, expect, kind }: PlannedRequest,
  { host, pathname }: URL,
): Template {
  const json = body === undefined ? "" : JSON.stringify(body);
  const fields = {
    Host: host,
    ...headers,
    ...(json !== "" && {
      "Content-Type": "application/json",
      "Content-Length": encoder.encode(insertNumber(json, 0)).length,
    }),
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return {
    head: `${method} ${pathname}${path} HTTP/1.1\r\n${lines}\r\n`,
    body: json.includes("{n") ? json : encoder.encode(json),
    ...(expect !== undefined && { expect }),
    ...(kind !== undefined && { kind }),
  };
}

export function encodeRequest({ head, body }: Template, number: number): Uint8Array {
  const named = insertNumber(head, number).replace("{key}", () => generateKey()).replace(
    "{token}",
    randomToken,
  );
  if (typeof body === "string") return encoder.encode(named + insertNumber(body, number));
  const encoded = encoder.encode(named);
  const bytes = new Uint8Array(encoded.length + body.length);
  bytes.set(encoded);
  bytes.set(body, encoded.length);
  return bytes;
}

function insertNumber(text: string, number: number): string {
  const digits = String(number).padStart(DIGITS, "0");
  return text.replaceAll("{n}", digits).replaceAll("{n8}", digits.slice(-8));
}

/** Sends a request once by `fetch`, and reads the whole answer. @throws Error if its status is not the expected one */
export async function sendOnce(baseUrl: string, request: PlannedRequest, number = 0): Promise<string> {
  const { method, path, headers, body, expect }: PlannedRequest = JSON.parse(
    insertNumber(JSON.stringify(request), number),
  );
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const response = await fetch(baseUrl + path, init);
  const text = await response.text();
  if (expect !== undefined && response.status !== expect) {
    throw new Error(`${method} ${path}: ${response.status} ${text}`);
  }
  return text;
}
