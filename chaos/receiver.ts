import { join } from "node:path";
import { createAuthority, issueCertificate } from "../tests/support/certificates.ts";

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
  arrivals: ReadonlyMap<string, Arrivals>;
  /** For the processes that deliver to it. */
  env: Record<string, string>;
  clear(): void;
  close(): Promise<void>;
}

const ANSWER_MS = 20;

/** Starts a TLS receiver on a free loopback port that counts what arrives, by delivery id. */
export async function startReceiver(folder: string): Promise<Receiver> {
  const authority = await createAuthority();
  const caFile = join(folder, "ca.pem");
  await Deno.writeTextFile(caFile, authority.certificate);
  const certificate = await issueCertificate(authority, ["localhost"]);
  const arrivals = new Map<string, Arrivals>();

  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {}, ...certificate },
    async (request) => {
      const id = request.headers.get("X-Service-Delivery-Id") ?? "";
      const known = arrivals.get(id) ?? { at: [], timestamps: [] };
      known.at.push(Date.now());
      known.timestamps.push(Number(request.headers.get("X-Service-Timestamp")));
      arrivals.set(id, known);
      await request.arrayBuffer();
      if (new URL(request.url).pathname === "/failing") return new Response(null, { status: 500 });
      await new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
      return new Response();
    },
  );
  const { port } = server.addr;
  return {
    okUrl: `https://localhost:${port}/ok`,
    failingUrl: `https://localhost:${port}/failing`,
    arrivals,
    env: { DENO_CERT: caFile, WEBHOOK_DEV_TARGETS: `localhost:${port}` },
    clear: () => arrivals.clear(),
    close: () => server.shutdown(),
  };
}
