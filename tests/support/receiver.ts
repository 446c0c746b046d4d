import { Buffer } from "node:buffer";
import { type Receiver, startReceiver } from "../../bench/harness/receiver.ts";

export type Mailboxes = Omit<Receiver, "origins">;

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
 * Starts a receiver of webhooks with mailboxes, over https. A POST to `/box/<name>` is stored and answered as its query
 * says; GET returns the stored requests:
 *
 * - `status=500,500,200`: the statuses of the first, second, … request; the last one is repeated. Default: 200.
 * - `delay=300`: milliseconds before the answer.
 * - `location=…`: the Location header, for redirects.
 * - `answer=…`: the body of the answer.
 * - `echo`: the answer repeats the body of the request, then its headers.
 *
 * Pass `env` to the processes of the stack and of the tests.
 */
export async function startMailboxes(): Promise<Mailboxes> {
  const folder = await Deno.makeTempDir({ prefix: "crm-receiver-" });
  const boxes = new Map<string, Received[]>();
  const { port, env, close } = await startReceiver(folder, (request) => answer(request, boxes));
  const addresses = { TEST_RECEIVER_ORIGIN: `https://localhost:${port}`, TEST_AUTHORITY_FOLDER: folder };
  return {
    port,
    env: { ...env, ...addresses },
    async close() {
      await close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

async function answer(request: Request, boxes: Map<string, Received[]>): Promise<Response> {
  const { pathname, search, searchParams } = new URL(request.url);
  const box = boxes.get(pathname) ?? [];
  boxes.set(pathname, box);
  if (request.method === "GET") return Response.json(box);

  const body = Buffer.from(await request.arrayBuffer());
  const headers = Object.fromEntries(request.headers);
  box.push({
    method: request.method,
    path: pathname + search,
    headers,
    body: body.toString("base64"),
    at: Date.now(),
  });
  await new Promise((resolve) => setTimeout(resolve, Number(searchParams.get("delay") ?? 0)));
  const statuses = (searchParams.get("status") ?? "200").split(",");
  const location = searchParams.get("location");
  const echoed = searchParams.has("echo") ? `${body}${JSON.stringify(headers)}` : null;
  return new Response(searchParams.get("answer") ?? echoed, {
    status: Number(statuses[box.length - 1] ?? statuses.at(-1)),
    headers: location === null ? {} : { Location: location },
  });
}
