/**
 * Sends the plans that come in on standard input, one a line, and answers each with a line.
 *
 * Written here and not taken from npm, for the generator shares the processor with what it measures: on two cores a
 * request costs it 20 µs, and 31-42 µs with autocannon 8.0.0, which doesn't tell apart the latencies of its connections
 * either. (wrk's 10 µs are not on every developer's machine.)
 */
import { readLines } from "../lines.ts";
import { exchange } from "./exchange.ts";
import { type LoadPlan, type LoadResult, UNANSWERED_MS } from "./plan.ts";
import { fill, type Template, templateOf } from "./template.ts";

/** Bytes read at once at most. */
const BUFFER_BYTES = 65_536;
/** Of all plans, so that no number comes twice in a database. */
let number = 0;

for await (const line of readLines(Deno.stdin.readable)) {
  console.log(JSON.stringify(await send(JSON.parse(line))));
}

async function send({ baseUrl, connections, seconds, requests }: LoadPlan): Promise<LoadResult> {
  const url = new URL(baseUrl);
  const templates = requests.map((request) => templateOf(request, url));
  const address = { hostname: url.hostname, port: Number(url.port) };
  const opened = await Promise.all(Array.from({ length: connections }, () => Deno.connect(address)));
  const result: LoadResult = {
    seconds: 0,
    latencies: opened.map(() => []),
    statuses: {},
    unexpected: 0,
    example: null,
    withoutRetryAfter: 0,
    unanswered: 0,
  };
  let turn = 0;
  const next = () => templates[turn++ % templates.length]!;
  const started = performance.now();
  const end = started + seconds * 1000;
  await Promise.all(opened.map(async (connection, index) => {
    connection.setNoDelay();
    const buffer = new Uint8Array(BUFFER_BYTES);
    try {
      while (performance.now() < end) {
        await sendOne(connection, next(), buffer, result, result.latencies[index]!);
      }
    } catch (error) {
      result.unanswered++;
      result.example ??= String(error);
    } finally {
      connection.close();
    }
  }));
  result.seconds = (performance.now() - started) / 1000;
  return result;
}

/** @throws where there was no answer */
async function sendOne(
  connection: Deno.TcpConn,
  template: Template,
  buffer: Uint8Array,
  result: LoadResult,
  latencies: number[],
): Promise<void> {
  const sentAt = performance.now();
  const { status, head, body } = await inTime(exchange(connection, fill(template, number++), buffer));
  latencies.push(Math.round((performance.now() - sentAt) * 1000) / 1000);
  result.statuses[status] = (result.statuses[status] ?? 0) + 1;
  if (status === 503 && !/\r\nretry-after: *\d/i.test(head)) result.withoutRetryAfter++;
  if (status !== template.expect) {
    result.unexpected++;
    result.example ??= `${status} ${body}`;
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer in ${UNANSWERED_MS} ms`)), UNANSWERED_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
