/**
 * Reads plans from standard input, one a line, sends each and prints the result as a line.
 *
 * No npm package is used, because the generator shares the processors with the functions: a request costs it 20 µs, and
 * 31-42 µs with autocannon 8.0.0, which also does not report the latencies of each connection. (wrk takes 10 µs, but is not
 * on every developer's machine.)
 */
import { readLines } from "../../harness/processes.ts";
import { type LoadPlan, type LoadResult, UNANSWERED_MS } from "./generator.ts";
import { sendRequest } from "./http.ts";
import { encodeRequest, templateOf } from "./template.ts";

const BUFFER_BYTES = 65_536;
/** Counts over all plans, so that no number is sent twice. */
let number = 0;

for await (const line of readLines(Deno.stdin.readable)) {
  console.log(JSON.stringify(await send(JSON.parse(line))));
}

async function send({ baseUrl, connections, seconds, requests }: LoadPlan): Promise<LoadResult> {
  const url = new URL(baseUrl);
  const templates = requests.map((request) => templateOf(request, url));
  const address = { hostname: url.hostname, port: Number(url.port) };
  const opened = await Promise.all(Array.from({ length: connections }, () => Deno.connect(address)));
  const sentAt = opened.map(() => Infinity);
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
  const started = performance.now();
  const end = started + seconds * 1000;
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
      while (performance.now() < end) {
        const template = templates[turn++ % templates.length]!;
        const sent = sentAt[index] = performance.now();
        const { status, head, body } = await sendRequest(
          connection,
          encodeRequest(template, number++),
          buffer,
        );
        result.latencies[index]!.push(Math.round((performance.now() - sent) * 1000) / 1000);
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
