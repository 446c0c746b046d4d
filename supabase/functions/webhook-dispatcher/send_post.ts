import { endsWithHeaders } from "./answer_end.ts";
import { readAnswerText } from "./answer_text.ts";
import type { Connection } from "./connection.ts";
import { AttemptFailure, awaitUntil, Unanswered } from "./failure.ts";

const END_OF_HEADERS = "\r\n\r\n";
const HTTP_1 = "HTTP/1.";
const latin1 = new TextDecoder("latin1");
const STATUS_LINE = /^HTTP\/1\.[01] ([1-5]\d\d)(?: [^\r\n]*)?\r\n/;

/** The final answer of a receiver. */
export interface Answer {
  status: number;
  /** Whether the connection may carry another request. */
  reusable: boolean;
  /** The beginning of the body, if it is text. */
  text?: string | undefined;
}

/**
 * Sends one HTTP/1.1 POST and returns the status of the answer and the beginning of its body. The status alone decides
 * the outcome (spec 6.5). A receiver must not decide how much memory or time its answer takes, so only a little of the
 * body is read, for at most half a second (answer_text.ts).
 *
 * @param deadline in milliseconds of `performance.now()`
 * @throws {AttemptFailure} `timeout_response`, `connection_closed`, `invalid_http_response`, …
 * @throws {Unanswered} if the connection ended before any byte of an answer
 */
export async function sendPost(
  connection: Connection,
  url: URL,
  headers: Record<string, string>,
  body: Uint8Array,
  deadline: number,
): Promise<Answer> {
  let sent = false;
  // A failed write is ignored: a receiver may answer and close before it has read the whole request. The connection is
  // reused only if the whole request was sent.
  connection.write(requestBytes(url, headers, body)).then(() => sent = true, () => {});
  const { status, reusable, head, rest } = await awaitUntil(
    deadline,
    "timeout_response",
    readAnswer(connection),
  );
  if (reusable) return { status, reusable: sent };
  if (status < 200 || status === 204 || status === 304) return { status, reusable };
  return { status, reusable, text: await readAnswerText(connection, head, rest, deadline) };
}

/**
 * The bytes of headers and body, for a single write, because in a second write the body would wait for the receiver's
 * delayed acknowledgement of the first.
 */
function requestBytes(url: URL, headers: Record<string, string>, body: Uint8Array): Uint8Array {
  const lines = [
    `POST ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    "User-Agent: crm-webhooks/1",
    "Accept: */*",
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  const head = new TextEncoder().encode(lines.join("\r\n") + END_OF_HEADERS);
  const request = new Uint8Array(head.length + body.length);
  request.set(head);
  request.set(body, head.length);
  return request;
}

interface AnswerHead extends Answer {
  /** The status line and the headers. */
  head: string;
  /** The beginning of the body, as far as it arrived with the headers. */
  rest: Uint8Array;
}

async function readAnswer(connection: Connection): Promise<AnswerHead> {
  const { buffer } = connection;
  let filled = 0;
  let start = 0;
  let searched = 0;
  for (;;) {
    if (filled === buffer.length) throw new AttemptFailure("response_headers_too_large");
    filled += await readMore(connection, filled);

    // Skips the headers of interim answers (100, 102, 103), which precede the final answer.
    for (let end; (end = endOfBlock(buffer, searched, filled)) !== -1; start = searched = end) {
      const head = latin1.decode(buffer.subarray(start, end));
      const status = STATUS_LINE.exec(head)?.[1];
      if (status === undefined) throw new AttemptFailure("invalid_http_response");
      if (status.startsWith("1") && status !== "101") continue;
      // Not reusable if bytes follow the headers: a body, or an answer that nobody asked for.
      const reusable = end === filled && endsWithHeaders(Number(status), head);
      return { status: Number(status), reusable, head, rest: buffer.slice(end, filled) };
    }
    // The next search continues where this one ended. Otherwise an answer that arrives byte by byte would cause
    // quadratic work.
    searched = Math.max(start, filled - END_OF_HEADERS.length + 1);
    const beginning = latin1.decode(buffer.subarray(start, Math.min(filled, start + HTTP_1.length)));
    if (!HTTP_1.startsWith(beginning)) throw new AttemptFailure("invalid_http_response");
  }
}

async function readMore(connection: Connection, filled: number): Promise<number> {
  const Failure = filled === 0 ? Unanswered : AttemptFailure;
  let read: number | null;
  try {
    read = await connection.read(filled);
  } catch (error) {
    const reset = error instanceof Deno.errors.ConnectionReset || error instanceof Deno.errors.BrokenPipe;
    throw new Failure(reset ? "connection_reset" : "connection_closed", error);
  }
  if (read === null) throw new Failure("connection_closed");
  return read;
}

/** The index after the first empty line at or after `start`; -1 if there is none. */
function endOfBlock(buffer: Uint8Array, start: number, filled: number): number {
  for (let i = start; i + 3 < filled; i++) {
    if (buffer[i] === 13 && buffer[i + 1] === 10 && buffer[i + 2] === 13 && buffer[i + 3] === 10) {
      return i + 4;
    }
  }
  return -1;
}
