/**
 * A bare `fetch` loop in a process of its own: what it costs to send as many requests of the same size, with no queue,
 * no signature and no record. Its argument is the URL. For each order on standard input, a line of JSON, it sends and
 * then prints a line.
 */
import { readLines } from "../../harness/processes.ts";

/** What to send. */
export interface Order {
  count: number;
  /** How many at the same time. */
  inFlight: number;
  /**
   * `plain` is a `fetch` as anybody writes it: over HTTP/2 where the receiver has it, all on one connection. `fresh` is a
   * connection for each request.
   */
  connections: "plain" | "fresh";
}

const CLIENTS: Record<Order["connections"], Deno.CreateHttpClientOptions> = {
  plain: {},
  fresh: { http2: false, poolMaxIdlePerHost: 0 },
};

/** As long as a `contact.created`. */
const BODY = JSON.stringify({ data: "x".repeat(700) });

for await (const line of readLines(Deno.stdin.readable)) {
  await send(Deno.args[0]!, JSON.parse(line));
  console.log("sent");
}

async function send(url: string, { count, inFlight, connections }: Order): Promise<void> {
  using client = Deno.createHttpClient(CLIENTS[connections]);
  let started = 0;
  await Promise.all(Array.from({ length: inFlight }, async () => {
    while (started < count) {
      const number = started++;
      const response = await fetch(url, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          "X-Service-Event": "contact.created",
          "X-Service-Delivery-Id": `00000000-0000-7000-8000-${String(number).padStart(12, "0")}`,
          "X-Service-Timestamp": "1700000000",
          "X-Service-Signature": `sha256=${"0".repeat(64)}`,
        },
        body: BODY,
        client,
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`The receiver answered ${response.status}`);
    }
  }));
}
