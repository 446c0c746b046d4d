import assert from "node:assert/strict";
import { readMessage } from "./hostile.ts";
import { baseUrl } from "./stack.ts";

/**
 * Sends a request exactly as given, which `fetch` would normalize, and returns the whole response as text.
 *
 * @param head the lines before the body, of which the first has method and path
 */
export async function sendRaw(origin: string, head: string[], body = ""): Promise<string> {
  const { hostname, port } = new URL(origin);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  await connection.write(new TextEncoder().encode([...head, "Connection: close", "", body].join("\r\n")));
  return await new Response(connection.readable).text();
}

/** Sends the head of a request over a connection of its own. `length` null: the body is sent in chunks. */
export async function openRequest(
  method: string,
  path: string,
  { length, headers = {} }: { length: number | null; headers?: Record<string, string> },
) {
  const { hostname, port, pathname } = new URL(baseUrl);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  const started = performance.now();
  const fields = {
    Host: hostname,
    ...headers,
    ...(length === null ? { "Transfer-Encoding": "chunked" } : { "Content-Length": String(length) }),
  };
  const send = async (text: string) => {
    let bytes = new TextEncoder().encode(text);
    while (bytes.length > 0) bytes = bytes.subarray(await connection.write(bytes));
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  await send(`${method} ${pathname}${path} HTTP/1.1\r\n${lines}\r\n`);
  return {
    send: (text: string) => send(length === null ? `${text.length.toString(16)}\r\n${text}\r\n` : text),
    /** Waits for the reply, whether or not the whole body was sent. `ms` is the time since the request. */
    reply: async () => {
      const text = await readMessage(connection);
      assert.ok(text !== null, "the connection ended without a reply");
      const [head, body] = text.split("\r\n\r\n") as [string, string];
      return {
        status: Number(head.slice(9, 12)),
        head,
        body: JSON.parse(body),
        ms: performance.now() - started,
      };
    },
    [Symbol.asyncDispose]: () => {
      connection.close();
      return Promise.resolve();
    },
  };
}
