import { AttemptFailure, awaitUntil } from "./failure.ts";

const MAX_HEADER_BYTES = 16 * 1024;
const END_OF_HEADERS = "\r\n\r\n";
const HTTP_1 = "HTTP/1.";
const STATUS_LINE = /^HTTP\/1\.[01] ([1-5]\d\d)(?: [^\r\n]*)?\r\n/;

/**
 * Sends one HTTP/1.1 POST and returns the status of the answer. It reads the headers but not the body (spec 6.5), so
 * that a receiver cannot control how much memory or time its answer costs.
 *
 * @param deadline in milliseconds of `performance.now()`.
 * @throws AttemptFailure `timeout_response`, `connection_closed`, `invalid_http_response`, …
 */
export async function sendPost(
  connection: Deno.Conn,
  url: URL,
  headers: Record<string, string>,
  body: Uint8Array,
  deadline: number,
): Promise<number> {
  const sending = send(connection, requestBytes(url, headers, body));
  // A receiver may answer and close before it has read the whole request. Its answer counts, so a failed write is
  // ignored.
  sending.catch(() => {});
  try {
    return await awaitUntil(deadline, "timeout_response", readStatus(connection));
  } catch (error) {
    if (error instanceof AttemptFailure) throw error;
    const reset = error instanceof Deno.errors.ConnectionReset || error instanceof Deno.errors.BrokenPipe;
    throw new AttemptFailure(reset ? "connection_reset" : "connection_closed", error);
  }
}

/**
 * Joins the headers and the body: in separate writes, the body would wait for the receiver's delayed acknowledgement.
 */
function requestBytes(url: URL, headers: Record<string, string>, body: Uint8Array): Uint8Array {
  const lines = [
    `POST ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    "User-Agent: crm-webhooks/1",
    "Accept: */*",
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    "Connection: close",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  const head = new TextEncoder().encode(lines.join("\r\n") + END_OF_HEADERS);
  const request = new Uint8Array(head.length + body.length);
  request.set(head);
  request.set(body, head.length);
  return request;
}

async function send(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
}

async function readStatus(connection: Deno.Conn): Promise<number> {
  const buffer = new Uint8Array(MAX_HEADER_BYTES);
  const latin1 = new TextDecoder("latin1");
  let filled = 0;
  let start = 0;
  let searched = 0;
  for (;;) {
    if (filled === buffer.length) throw new AttemptFailure("response_headers_too_large");
    const read = await connection.read(buffer.subarray(filled));
    if (read === null) throw new AttemptFailure("connection_closed");
    filled += read;

    // Skips interim answers (100, 102, 103), each of which is a header block before that of the final answer.
    for (let end; (end = endOfBlock(buffer, searched, filled)) !== -1; start = searched = end) {
      const status = STATUS_LINE.exec(latin1.decode(buffer.subarray(start, end)))?.[1];
      if (status === undefined) throw new AttemptFailure("invalid_http_response");
      if (!status.startsWith("1") || status === "101") return Number(status);
    }
    // Continues where the last search ended, so that a receiver that sends single bytes does not cause quadratic work.
    searched = Math.max(start, filled - END_OF_HEADERS.length + 1);
    if (!couldBeHttp(latin1.decode(buffer.subarray(start, Math.min(filled, start + HTTP_1.length))))) {
      throw new AttemptFailure("invalid_http_response");
    }
  }
}

/** Returns the index after the first empty line at or after `start`, or -1. */
function endOfBlock(buffer: Uint8Array, start: number, filled: number): number {
  for (let i = start; i + 3 < filled; i++) {
    if (buffer[i] === 13 && buffer[i + 1] === 10 && buffer[i + 2] === 13 && buffer[i + 3] === 10) {
      return i + 4;
    }
  }
  return -1;
}

function couldBeHttp(beginning: string): boolean {
  return HTTP_1.startsWith(beginning);
}
