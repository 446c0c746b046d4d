import { startReceiver } from "../harness/receiver.ts";
import { pause } from "../harness/waiting.ts";

/** The requests for one delivery id. */
interface Arrivals {
  /** Milliseconds since 1970, one for each request. */
  at: number[];
  /** X-Service-Timestamp of each, in seconds. */
  timestamps: number[];
}

const ANSWER_MS = 20;

/**
 * Starts a receiver that records requests by delivery id.
 * @param folder for the authority of its certificate
 */
export async function startCountingReceiver(folder: string) {
  const arrivals = new Map<string, Arrivals>();
  const closing = Promise.withResolvers<void>();
  const { port, env, close } = await startReceiver(folder, async (request) => {
    const id = request.headers.get("X-Service-Delivery-Id") ?? "";
    const known = arrivals.get(id) ?? { at: [], timestamps: [] };
    known.at.push(Date.now());
    known.timestamps.push(Number(request.headers.get("X-Service-Timestamp")));
    arrivals.set(id, known);
    await request.arrayBuffer();
    const { pathname } = new URL(request.url);
    if (pathname === "/failing") return new Response(null, { status: 500 });
    await (pathname === "/hanging" ? closing.promise : pause(ANSWER_MS));
    return new Response();
  });
  // By address, because the dispatcher would resolve a name.
  const url = (path: string) => `https://127.0.0.1:${port}/${path}`;
  return {
    /** Answers 200 after 20 ms. */
    okUrl: url("ok"),
    /** Answers 500. */
    failingUrl: url("failing"),
    /** Never answers. */
    hangingUrl: url("hanging"),
    arrivals: arrivals as ReadonlyMap<string, Arrivals>,
    env,
    clear: () => arrivals.clear(),
    close(): Promise<void> {
      closing.resolve();
      return close();
    },
  };
}

/** The number of requests that have arrived. */
export function countArrivals({ arrivals }: { arrivals: ReadonlyMap<string, Arrivals> }): number {
  return [...arrivals.values()].reduce((total, { at }) => total + at.length, 0);
}
