import type { Connection } from "./connection.ts";
import { awaitUntil } from "./failure.ts";

/** How many bytes of an answer's body are kept. */
const KEPT_BYTES = 1024;
/** Bytes after which reading stops: more than KEPT_BYTES, because a chunk with one byte of the body takes six bytes. */
const READ_BYTES = 8 * KEPT_BYTES;
const READ_MS = 500;
/** Control characters other than tab and line breaks: with any of these, a body is not text. */
// deno-lint-ignore no-control-regex
const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]/;

/**
 * Reads the beginning of an answer's body: 1,024 bytes at most, for 500 ms at most, and never beyond `deadline`. What
 * the receiver sends later is lost. Never throws, because the attempt's outcome is already known. The caller closes the
 * connection.
 *
 * @param head the status line and the headers
 * @param first the bytes of the body that arrived with the headers
 * @returns undefined if the body is empty or not UTF-8 text
 */
export async function readAnswerText(
  connection: Connection,
  head: string,
  first: Uint8Array,
  deadline: number,
): Promise<string | undefined> {
  const chunked = /^transfer-encoding:[^\r\n]*\bchunked\b/im.test(head);
  const length = Number(/^content-length:[ \t]*(\d+)/im.exec(head)?.[1] ?? Infinity);
  let raw = first.slice(0, READ_BYTES);
  const body = () => chunked ? unchunk(raw) : { bytes: raw.subarray(0, length), ended: raw.length >= length };
  const end = Math.min(deadline, performance.now() + READ_MS);
  try {
    while (!body().ended && body().bytes.length < KEPT_BYTES && raw.length < READ_BYTES) {
      const count = await awaitUntil(end, "timeout_response", connection.read(0));
      if (count === null) break;
      const longer = new Uint8Array(raw.length + count);
      longer.set(raw);
      longer.set(connection.buffer.subarray(0, count), raw.length);
      raw = longer;
    }
  } catch {
    // The time is over, or the receiver closed the connection; what arrived before is kept.
  }
  return textOf(body().bytes.subarray(0, KEPT_BYTES));
}

/** The contents of the chunks that have arrived (RFC 9112, 7.1), and whether the last chunk is among them. */
function unchunk(raw: Uint8Array): { bytes: Uint8Array; ended: boolean } {
  const bytes = new Uint8Array(raw.length);
  let filled = 0;
  for (let at = 0;;) {
    const end = raw.indexOf(0x0a, at);
    if (end === -1) return { bytes: bytes.subarray(0, filled), ended: false };
    const size = /^([0-9a-f]{1,8})[ \t]*[;\r]/i.exec(String.fromCharCode(...raw.subarray(at, end)))?.[1];
    // This is the last chunk, or the bytes are not a chunk.
    if (size === undefined || Number(`0x${size}`) === 0) {
      return { bytes: bytes.subarray(0, filled), ended: true };
    }
    const data = raw.subarray(end + 1, end + 1 + Number(`0x${size}`));
    bytes.set(data, filled);
    filled += data.length;
    at = end + 1 + Number(`0x${size}`) + 2;
    if (at > raw.length) return { bytes: bytes.subarray(0, filled), ended: false };
  }
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    // With `stream`, a last character that the limit cuts off is dropped instead of being an error.
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true }).trim();
    return text === "" || CONTROL.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}
