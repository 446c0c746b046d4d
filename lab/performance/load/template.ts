/** A request; `{n}` in its path, headers or body is replaced by a new number each time that it is sent. */
export interface PlannedRequest {
  method: string;
  /** Under the server's base URL. */
  path: string;
  headers: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** The expected status. */
  expect: number;
}

/** Every number has this length, so that Content-Length stays right. */
const DIGITS = 12;
const ZEROS = "0".repeat(DIGITS);
const encoder = new TextEncoder();

/** A request as bytes, built once and sent many times. */
export interface Template {
  bytes: Uint8Array;
  /** Where the numbers are written. */
  offsets: number[];
  expect: number;
}

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
  const offsets: number[] = [];
  for (const part of rest) {
    offsets.push(encoder.encode(whole).length);
    whole += ZEROS + part;
  }
  return { bytes: encoder.encode(whole), offsets, expect };
}

/** Writes the number into the bytes of a request. */
export function fill({ bytes, offsets }: Template, number: number): Uint8Array {
  if (offsets.length === 0) return bytes;
  const filled = bytes.slice();
  const digits = encoder.encode(String(number).padStart(DIGITS, "0"));
  for (const offset of offsets) filled.set(digits, offset);
  return filled;
}
