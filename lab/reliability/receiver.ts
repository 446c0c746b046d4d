import { join } from "node:path";
import { createAuthority, issueCertificate } from "../../tests/support/certificates.ts";

/** What has arrived for one delivery id. */
export interface Arrivals {
  /** Milliseconds since 1970, one for each request. */
  at: number[];
  /** X-Service-Timestamp of each, in seconds. */
  timestamps: number[];
}

export interface Receiver {
  /** Answers 200 after 20 ms. */
  okUrl: string;
  /** Answers 500. */
  failingUrl: string;
  /** Takes the request and never answers. */
  hangingUrl: string;
  arrivals: ReadonlyMap<string, Arrivals>;
  /** For the processes that deliver to it. */
  env: Record<string, string>;
  clear(): void;
  close(): Promise<void>;
}

/** No name: the dispatcher connects to addresses, and a name that is let through for development would be looked up. */
const HOST = "127.0.0.1";
const ANSWER_MS = 20;

/** Starts a TLS receiver on a free loopback port that counts what arrives, by delivery id. */
export async function startReceiver(folder: string): Promise<Receiver> {
  const authority = await createAuthority();
  const caFile = join(folder, "ca.pem");
  await Deno.writeTextFile(caFile, authority.certificate);
  const certificate = await issueCertificate(authority, [HOST]);
  const arrivals = new Map<string, Arrivals>();
  const closing = Promise.withResolvers<void>();

  const server = Deno.serve(
    { hostname: HOST, port: 0, onListen: () => {}, ...certificate },
    async (request) => {
      const id = request.headers.get("X-Service-Delivery-Id") ?? "";
      const known = arrivals.get(id) ?? { at: [], timestamps: [] };
      known.at.push(Date.now());
      known.timestamps.push(Number(request.headers.get("X-Service-Timestamp")));
      arrivals.set(id, known);
      await request.arrayBuffer();
      const { pathname } = new URL(request.url);
      if (pathname === "/failing") return new Response(null, { status: 500 });
      if (pathname === "/hanging") await closing.promise;
      else await new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
      return new Response();
    },
  );
  const { port } = server.addr;
  return {
    okUrl: `https://${HOST}:${port}/ok`,
    failingUrl: `https://${HOST}:${port}/failing`,
    hangingUrl: `https://${HOST}:${port}/hanging`,
    arrivals,
    env: { DENO_CERT: caFile, WEBHOOK_DEV_TARGETS: `${HOST}:${port}` },
    clear: () => arrivals.clear(),
    close() {
      closing.resolve();
      return server.shutdown();
    },
  };
}
