import { sum } from "../harness/figures.ts";
import { startReceiver } from "../harness/receiver.ts";
import { pause } from "../harness/waiting.ts";

interface Arrivals {
  at: number[];
  /** X-Service-Timestamp of each request, in seconds. */
  timestamps: number[];
}

/** Number of loopback addresses. The dispatcher counts each address as a separate host. */
const HOSTS = 24;

/** Milliseconds until each path answers. `/failing` answers 500, the others 200; `/hanging` never answers. */
const ANSWER_MS: Record<string, number> = { "/ok": 20, "/slow": 300, "/quick": 0, "/failing": 0 };

/**
 * Starts a receiver that records requests by delivery id.
 * @param folder for the files of its certificate authority
 */
export async function startCountingReceiver(folder: string) {
  const arrivals = new Map<string, Arrivals>();
  /** By `host:port`: how many requests are unanswered now, and the most that were unanswered at a time. */
  const inFlight = new Map<string, { now: number; most: number }>();
  const closing = Promise.withResolvers<void>();
  const addresses = Array.from({ length: HOSTS }, (_, index) => `127.0.0.${index + 1}`);
  const { origins, env, close } = await startReceiver(folder, answer, addresses);

  async function answer(request: Request): Promise<Response> {
    const { host, pathname } = new URL(request.url);
    const flight = inFlight.get(host) ?? { now: 0, most: 0 };
    inFlight.set(host, flight);
    flight.most = Math.max(flight.most, ++flight.now);
    try {
      const id = request.headers.get("X-Service-Delivery-Id") ?? "";
      const known = arrivals.get(id) ?? { at: [], timestamps: [] };
      known.at.push(Date.now());
      known.timestamps.push(Number(request.headers.get("X-Service-Timestamp")));
      arrivals.set(id, known);
      await request.arrayBuffer();
      const ms = ANSWER_MS[pathname];
      if (ms !== 0) await (ms === undefined ? closing.promise : pause(ms));
      return new Response(null, { status: pathname === "/failing" ? 500 : 200 });
    } finally {
      flight.now--;
    }
  }

  // Addresses, not names, so that the dispatcher has nothing to resolve.
  const url = (path: string, host = 0) => `${origins[host]}/${path}`;
  return {
    okUrl: url("ok"),
    failingUrl: url("failing"),
    hangingUrl: url("hanging"),
    /**
     * @param path `ok`, `slow`, `quick`, `failing` or `hanging`
     * @param host a number; 0 is the host of the URLs above
     */
    url,
    urls: (path: string) => origins.map((origin) => `${origin}/${path}`),
    /** The requests by delivery id, in the order in which the first of each arrived. */
    arrivals: arrivals as ReadonlyMap<string, Arrivals>,
    /** The most requests that were unanswered at a time, at the host of this URL. */
    mostInFlight: (url: string) => inFlight.get(new URL(url).host)?.most ?? 0,
    env,
    clear() {
      arrivals.clear();
      for (const flight of inFlight.values()) flight.most = flight.now;
    },
    close(): Promise<void> {
      closing.resolve();
      return close();
    },
  };
}

export function countArrivals({ arrivals }: { arrivals: ReadonlyMap<string, Arrivals> }): number {
  return sum([...arrivals.values()].map(({ at }) => at.length));
}
