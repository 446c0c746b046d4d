/** Reads floods from standard input, one a line, carries each out and prints its result as a line; see flood.ts. */
import { setPriority } from "node:os";
import { readLines } from "../harness/processes.ts";
import { pause } from "../harness/waiting.ts";
import { generateKey } from "../../supabase/functions/_shared/keys/generate_key.ts";
import { randomToken } from "../../supabase/functions/_shared/keys/random_token.ts";
import { readAnswer, writeAll } from "../performance/load/http.ts";
import type { Flood, FloodResult, HostileRequest } from "./flood.ts";

/** The lowest priority of Unix. */
const LOWEST = 19;
const READ_BYTES = 16_384;
/** How long after a flood a request may still be answered. */
const GRACE_SECONDS = 20;
/** How long a connection waits before it is opened again, so that a refused one does not spin. */
const RECONNECT_MS = 50;

setPriority(LOWEST);
const encoder = new TextEncoder();
const encoded = new Map<string, Uint8Array>();

for await (const line of readLines(Deno.stdin.readable)) {
  console.log(JSON.stringify(await carryOut(JSON.parse(line))));
}

async function carryOut(flood: Flood): Promise<FloodResult> {
  const result: FloodResult = { statuses: {}, unanswered: 0, example: null, longestSeconds: 0 };
  const end = performance.now() + flood.seconds * 1000;
  let turn = 0;
  const open = new Set<Deno.TcpConn>();
  // Ends the requests that a server never answers.
  const giveUp = setTimeout(() => open.forEach(close), (flood.seconds + GRACE_SECONDS) * 1000);
  const attack = async () => {
    let connection: Deno.TcpConn | null = null;
    const disconnect = () => {
      if (connection === null) return;
      open.delete(connection);
      close(connection);
      connection = null;
    };
    while (performance.now() < end) {
      const request = flood.requests[turn++ % flood.requests.length]!;
      const started = performance.now();
      try {
        if (connection === null) open.add(connection = await openConnection(flood.baseUrl));
        const { status, closed } = await exchange(connection, request, flood);
        result.statuses[status] = (result.statuses[status] ?? 0) + 1;
        if (closed) disconnect();
        if (flood.pauseMs) await pause(flood.pauseMs);
      } catch (error) {
        result.unanswered++;
        result.example ??= String(error);
        disconnect();
        await pause(RECONNECT_MS);
      }
      result.longestSeconds = Math.max(result.longestSeconds, (performance.now() - started) / 1000);
    }
    disconnect();
  };
  await Promise.all(Array.from({ length: flood.connections }, attack));
  clearTimeout(giveUp);
  return result;
}

function openConnection(baseUrl: string): Promise<Deno.TcpConn> {
  const { hostname, port } = new URL(baseUrl);
  return Deno.connect({ hostname, port: Number(port) });
}

function close(connection: Deno.TcpConn): void {
  try {
    connection.close();
  } catch {
    // The server has closed it already.
  }
}

/** Sends one request while it reads the answer, which may come before the body has been sent. */
async function exchange(
  connection: Deno.TcpConn,
  request: HostileRequest,
  { baseUrl, bytesPerSecond }: Flood,
): Promise<{ status: number; closed: boolean }> {
  let answered = false;
  const sending = send(connection, encode(request, baseUrl), bytesPerSecond, () => answered)
    // The server may close the connection before it has read the body; the answer counts.
    .then(() => true, () => false);
  const answer = readAnswer(connection, new Uint8Array(READ_BYTES)).finally(() => answered = true);
  const { status, head } = await answer;
  const sent = await sending;
  return { status, closed: /\r\nconnection: *close/i.test(head) || !sent };
}

async function send(
  connection: Deno.TcpConn,
  { head, body }: { head: Uint8Array; body: Uint8Array },
  bytesPerSecond: number | undefined,
  stop: () => boolean,
): Promise<void> {
  await writeAll(connection, head);
  if (bytesPerSecond === undefined) return await writeAll(connection, body);
  for (let sent = 0; sent < body.length; sent += bytesPerSecond) {
    if (stop()) throw new Error("Answered before the body was sent");
    await writeAll(connection, body.subarray(sent, sent + bytesPerSecond));
    await pause(1_000);
  }
}

function encode({ method, path, headers = {}, body = "" }: HostileRequest, baseUrl: string) {
  const { host, pathname } = new URL(baseUrl);
  const bytes = bodyBytes(body);
  const fields = {
    Host: host,
    ...headers,
    ...(body !== "" && { "Content-Type": "application/json", "Content-Length": String(bytes.length) }),
  };
  const lines = Object.entries(fields).map(([name, value]) =>
    `${name}: ${value.replace("{key}", generateKey)}\r\n`
  );
  const target = pathname + path.replace("{token}", randomToken);
  return { head: encoder.encode(`${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n`), body: bytes };
}

/** Encodes a body once, because a large one is sent many times. */
function bodyBytes(body: string): Uint8Array {
  const known = encoded.get(body) ?? encoder.encode(body);
  encoded.set(body, known);
  return known;
}
