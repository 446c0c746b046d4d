/**
 * Reads load plans from standard input, one a line, carries out each and prints its result as a line. The argument, if
 * any, is the process's priority.
 *
 * The generator shares the processors with the functions, so it uses no npm package: a request takes 20 µs here, and 31
 * to 42 µs in autocannon 8.0.0. Autocannon also does not report the latencies of each connection.
 */
import { setPriority } from "node:os";
import { readLines } from "../../harness/processes.ts";
import { pause } from "../../harness/waiting.ts";
import { encodeRequest, type PlannedRequest, templateOf } from "./template.ts";

export interface LoadPlan {
  baseUrl: string;
  /** Number of connections. Each sends its next request after it has read the previous answer. */
  connections: number;
  seconds: number;
  /** Used in turn, by the next free connection. */
  requests: PlannedRequest[];
  /**
   * Requests a second. They arrive at random (Poisson), whether or not earlier ones are answered, and wait for a free
   * connection. A wait is measured from its request's arrival, so a stall lengthens the waits of all requests that
   * arrive during it. Absent: each connection sends its next request after its last answer.
   */
  rate?: number;
  /** How long each connection waits after an answer, in milliseconds. */
  pauseMs?: number;
  /**
   * Whether a failed connection is opened again, and an answer is read while the request is sent. An attack needs this:
   * the server may refuse connections, and answer before it has read a body.
   */
  endures?: boolean;
}

export interface LoadResult {
  /** The time from the first request to the last answer. */
  seconds: number;
  /** For each connection, the milliseconds that its answers took, in order. */
  latencies: number[][];
  /** For each kind of request, the milliseconds that its answers took, in order. */
  byKind: Record<string, number[]>;
  statuses: Record<number, number>;
  unexpected: number;
  /** The first unexpected answer, or the error if there was no answer. */
  example: string | null;
  /** Requests whose connection was closed, or that waited for UNANSWERED_MS, after which their connection is closed. */
  unanswered: number;
}

const UNANSWERED_MS = 20_000;
/** The wait before reconnecting, in milliseconds, so that refused connections do not cause a busy loop. */
const RECONNECT_MS = 50;
const BUFFER_BYTES = 65_536;
/** How many bytes of an answer are decoded: enough for the head of any answer, or for a whole error body. */
const READABLE_BYTES = 2_048;
const decoder = new TextDecoder();
/** The next number for `{n}`. It is not reset between plans, so that no number is sent twice. */
let number = 0;

if (Deno.args[0] !== undefined) setPriority(Number(Deno.args[0]));
for await (const line of readLines(Deno.stdin.readable)) {
  console.log(JSON.stringify(await send(JSON.parse(line))));
}

async function send(
  { baseUrl, connections, seconds, requests, rate, pauseMs, endures }: LoadPlan,
): Promise<LoadResult> {
  const url = new URL(baseUrl);
  const templates = requests.map((request) => templateOf(request, url));
  const address = { hostname: url.hostname, port: Number(url.port) };
  const open: (Deno.TcpConn | null)[] = Array(connections).fill(null);
  const sentAt: number[] = Array(connections).fill(Infinity);
  const result: LoadResult = {
    seconds: 0,
    latencies: open.map(() => []),
    byKind: {},
    statuses: {},
    unexpected: 0,
    example: null,
    unanswered: 0,
  };
  let turn = 0;
  const started = performance.now();
  const end = started + seconds * 1000;
  let arrival = started;
  /** Waits until the next request is due, and returns its time; null after the last. */
  const nextArrival = async (): Promise<number | null> => {
    if (rate === undefined) arrival = performance.now();
    else arrival -= Math.log(1 - Math.random()) * 1000 / rate;
    const came = arrival;
    if (came >= end) return null;
    const ms = came - performance.now();
    if (ms > 0) await pause(ms);
    return came;
  };
  const close = (index: number) => {
    try {
      open[index]?.close();
    } catch {
      // `exchange` has closed it already.
    }
    open[index] = null;
  };
  // One timer for all requests, because a timer for each would take more processor time.
  const watching = setInterval(() => {
    const latest = performance.now() - UNANSWERED_MS;
    for (const [index, time] of sentAt.entries()) if (time < latest) close(index);
  }, 1_000);
  await Promise.all(open.map(async (_, index) => {
    const buffer = new Uint8Array(BUFFER_BYTES);
    for (let came = await nextArrival(); came !== null; came = await nextArrival()) {
      const template = templates[turn++ % templates.length]!;
      sentAt[index] = performance.now();
      try {
        const connection = open[index] ??= await Deno.connect(address);
        connection.setNoDelay();
        const bytes = encodeRequest(template, number++);
        if (!endures) await writeAll(connection, bytes);
        const answer = await (endures ? exchange(connection, bytes, buffer) : readAnswer(connection, buffer));
        const { status } = answer;
        const latency = Math.round((performance.now() - came) * 1000) / 1000;
        result.latencies[index]!.push(latency);
        if (template.kind !== undefined) (result.byKind[template.kind] ??= []).push(latency);
        result.statuses[status] = (result.statuses[status] ?? 0) + 1;
        if (template.expect !== undefined && status !== template.expect) {
          result.unexpected++;
          result.example ??= `${status} ${answer.body}`;
        }
        if (answer.closed) close(index);
      } catch (error) {
        result.unanswered++;
        result.example ??= String(error);
        close(index);
        if (!endures) break;
        await pause(RECONNECT_MS);
      } finally {
        sentAt[index] = Infinity;
      }
      if (pauseMs) await pause(pauseMs);
    }
    close(index);
  }));
  clearInterval(watching);
  result.seconds = (performance.now() - started) / 1000;
  return result;
}

/** An answer, with the part of its body that arrived with the head: enough to explain an unexpected status. */
interface Answer {
  status: number;
  head: string;
  body: string;
  /** Whether the connection cannot be used again. */
  closed?: boolean;
}

/** Sends a request and meanwhile reads the answer, which may come before the whole body was sent. */
async function exchange(connection: Deno.TcpConn, bytes: Uint8Array, buffer: Uint8Array): Promise<Answer> {
  let isSent = false;
  // If the server answers and closes before it has read the body, sending fails. Ignored: only the answer counts.
  const sending = writeAll(connection, bytes).then(() => isSent = true, () => {});
  const answer = await readAnswer(connection, buffer);
  const closed = !isSent || /\r\nconnection: *close/i.test(answer.head);
  if (closed) connection.close();
  await sending;
  return { ...answer, closed };
}

async function writeAll(connection: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) written += await connection.write(bytes.subarray(written));
}

/** Reads one HTTP/1.1 answer to its end. The answer must have a Content-Length. */
async function readAnswer(connection: Deno.TcpConn, buffer: Uint8Array): Promise<Answer> {
  let have = 0;
  let parsed: { answer: Answer; length: number } | null = null;
  do {
    // After the head only the number of bytes matters, so the rest of a body may overwrite the buffer.
    const count = await connection.read(parsed ? buffer : buffer.subarray(have));
    if (count === null) throw new Error("The connection was closed before the answer");
    have += count;
    parsed ??= parse(buffer.subarray(0, have));
  } while (!parsed || have < parsed.length);
  if (have > parsed.length) throw new Error("The answer is longer than its Content-Length");
  return parsed.answer;
}

/** Returns null while the head is incomplete. */
function parse(bytes: Uint8Array): { answer: Answer; length: number } | null {
  const text = decoder.decode(bytes.subarray(0, READABLE_BYTES));
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return null;
  const head = text.slice(0, end);
  const bodyLength = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (bodyLength === undefined) throw new Error(`An answer without Content-Length: ${head}`);
  return {
    answer: { status: Number(text.slice(9, 12)), head, body: text.slice(end + 4) },
    // A head is ASCII, so its characters are its bytes.
    length: end + 4 + Number(bodyLength),
  };
}
