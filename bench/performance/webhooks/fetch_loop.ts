/**
 * The baseline of the dispatcher: a loop of `fetch` that sends requests of the same size, without queue, signature or
 * record. Its argument is the URL. For each line of JSON on standard input it sends the requests and prints a line.
 */
import { readLines } from "../../harness/processes.ts";

/** The requests to send. */
export interface Order {
  count: number;
  /** How many at the same time. */
  inFlight: number;
  /**
   * `plain` is the default of `fetch`: one connection of HTTP/2 if the receiver has it. `fresh` is a connection for each
   * request.
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
