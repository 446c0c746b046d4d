import { Buffer } from "node:buffer";
import { join } from "node:path";
import { createAuthority, issueCertificate } from "./certificates.ts";

/** A webhook receiver with mailboxes, and what the stack and the tests must know to reach it. */
export interface Mailboxes {
  port: number;
  /** The authority that signed its certificate. */
  caFile: string;
  /** For the processes of the stack and of the tests. */
  env: Record<string, string>;
  close(): Promise<void>;
}

/** One request, as it arrived. */
export interface Received {
  method: string;
  path: string;
  headers: Record<string, string>;
  /** Base64 of the raw bytes. */
  body: string;
  /** Milliseconds since 1970. */
  at: number;
}

/**
 * Starts a TLS receiver on a free loopback port, for https targets as a customer's. A POST to `/box/<name>` is kept
 * and answered as its query says, GET returns what has arrived:
 *
 * - `status=500,500,200`: the statuses of the first, second, … request; the last one goes on. 200 where absent.
 * - `delay=300`: milliseconds before the answer.
 * - `location=…`: the Location header, for redirects.
 */
export async function startMailboxes(): Promise<Mailboxes> {
  const folder = await Deno.makeTempDir({ prefix: "crm-receiver-" });
  const authority = await createAuthority();
  const caFile = join(folder, "ca.pem");
  await Deno.writeTextFile(caFile, authority.certificate);
  await Deno.writeTextFile(join(folder, "ca.key"), authority.key);

  const boxes = new Map<string, Received[]>();
  const server = Deno.serve(
    {
      hostname: "127.0.0.1",
      port: 0,
      onListen: () => {},
      ...await issueCertificate(authority, ["localhost", "127.0.0.1"]),
    },
    (request) => answer(request, boxes),
  );
  const { port } = server.addr;
  return {
    port,
    caFile,
    env: {
      // The root certificate that the stack's TLS trusts besides the usual ones.
      DENO_CERT: caFile,
      WEBHOOK_DEV_TARGETS: `localhost:${port},127.0.0.1:${port}`,
      TEST_RECEIVER_ORIGIN: `https://localhost:${port}`,
      TEST_AUTHORITY_FOLDER: folder,
    },
    async close() {
      await server.shutdown();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

async function answer(request: Request, boxes: Map<string, Received[]>): Promise<Response> {
  const { pathname, search, searchParams } = new URL(request.url);
  const box = boxes.get(pathname) ?? [];
  boxes.set(pathname, box);
  if (request.method === "GET") return Response.json(box);

  box.push({
    method: request.method,
    path: pathname + search,
    headers: Object.fromEntries(request.headers),
    body: Buffer.from(await request.arrayBuffer()).toString("base64"),
    at: Date.now(),
  });
  await new Promise((resolve) => setTimeout(resolve, Number(searchParams.get("delay") ?? 0)));
  const statuses = (searchParams.get("status") ?? "200").split(",");
  const location = searchParams.get("location");
  return new Response(null, {
    status: Number(statuses[box.length - 1] ?? statuses.at(-1)),
    headers: location === null ? {} : { Location: location },
  });
}
