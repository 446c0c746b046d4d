/**
 * Reads plans from standard input, one a line, sends each and prints the result as a line.
 *
 * No npm package is used, because the generator shares the processors with the functions: a request costs it 20 µs, and
 * 31-42 µs with autocannon 8.0.0, which also does not report the latencies of each connection. (wrk takes 10 µs, but is not
 * on every developer's machine.)
 */
import { readLines } from "../../harness/processes.ts";
import { pause } from "../../harness/waiting.ts";
import { sendRequest } from "./http.ts";
import { encodeRequest, type PlannedRequest, templateOf } from "./template.ts";

/** The requests that the generator sends. */
export interface LoadPlan {
  baseUrl: string;
  /** Each sends its next request after it has read the previous answer. */
  connections: number;
  seconds: number;
  /** Used in turn, by the next free connection. */
  requests: PlannedRequest[];
  /**
   * Requests a second that come at random (Poisson), whether or not earlier ones are answered, as long as a connection is
   * free. A wait then counts from the moment at which its request came, so that a stall lengthens the waits of all that
   * came meanwhile. Absent: a connection's next request comes with its last answer.
   */
  rate?: number;
}

/** The answers to a load. */
export interface LoadResult {
  /** From the first request to the last answer. */
  seconds: number;
  /** For each connection, the milliseconds of its answers in their order. */
  latencies: number[][];
  /** The same of the requests of each kind, in the order of the answers. */
  byKind: Record<string, number[]>;
  statuses: Record<number, number>;
  /** Answers that were not as expected. */
  unexpected: number;
  /** The first unexpected answer, or the error in its place. */
  example: string | null;
  /** Answers of 503 without Retry-After. */
  withoutRetryAfter: number;
  /** Requests whose connection was closed, or that waited for UNANSWERED_MS; each ends its connection. */
  unanswered: number;
}

/** Milliseconds after which a request counts as unanswered. */
const UNANSWERED_MS = 20_000;
const BUFFER_BYTES = 65_536;
/** Counts over all plans, so that no number is sent twice. */
let number = 0;

for await (const line of readLines(Deno.stdin.readable)) {
  console.log(JSON.stringify(await send(JSON.parse(line))));
}

async function send({ baseUrl, connections, seconds, requests, rate }: LoadPlan): Promise<LoadResult> {
  const url = new URL(baseUrl);
  const templates = requests.map((request) => templateOf(request, url));
  const address = { hostname: url.hostname, port: Number(url.port) };
  const opened = await Promise.all(Array.from({ length: connections }, () => Deno.connect(address)));
  const sentAt = opened.map(() => Infinity);
  const result: LoadResult = {
    seconds: 0,
    latencies: opened.map(() => []),
    byKind: {},
    statuses: {},
    unexpected: 0,
    example: null,
    withoutRetryAfter: 0,
    unanswered: 0,
  };
  let turn = 0;
  const started = performance.now();
  const end = started + seconds * 1000;
  let arrival = started;
  /** Waits for the next request, and returns the moment at which it came; null after the last. */
  const nextArrival = async (): Promise<number | null> => {
    if (rate === undefined) arrival = performance.now();
    else arrival -= Math.log(1 - Math.random()) * 1000 / rate;
    const came = arrival;
    if (came >= end) return null;
    const ms = came - performance.now();
    if (ms > 0) await pause(ms);
    return came;
  };
  // One timer for all requests, because the generator shares the processors with the API.
  const watching = setInterval(() => {
    const latest = performance.now() - UNANSWERED_MS;
    for (const [index, time] of sentAt.entries()) if (time < latest) opened[index]!.close();
  }, 1_000);
  await Promise.all(opened.map(async (socket, index) => {
    using connection = socket;
    connection.setNoDelay();
    const buffer = new Uint8Array(BUFFER_BYTES);
    try {
      for (let came = await nextArrival(); came !== null; came = await nextArrival()) {
        const template = templates[turn++ % templates.length]!;
        sentAt[index] = performance.now();
        const { status, head, body } = await sendRequest(
          connection,
          encodeRequest(template, number++),
          buffer,
        );
        sentAt[index] = Infinity;
        const latency = Math.round((performance.now() - came) * 1000) / 1000;
        result.latencies[index]!.push(latency);
        if (template.kind !== undefined) (result.byKind[template.kind] ??= []).push(latency);
        result.statuses[status] = (result.statuses[status] ?? 0) + 1;
        if (status === 503 && !/\r\nretry-after: *\d/i.test(head)) result.withoutRetryAfter++;
        if (status !== template.expect) {
          result.unexpected++;
          result.example ??= `${status} ${body}`;
        }
      }
    } catch (error) {
      result.unanswered++;
      result.example ??= String(error);
    }
    sentAt[index] = Infinity;
  }));
  clearInterval(watching);
  result.seconds = (performance.now() - started) / 1000;
  return result;
}
