import assert from "node:assert/strict";
import { baseUrl } from "./stack.ts";

/** The reply to a raw request. */
interface RawReply {
  status: number;
  head: string;
  // deno-lint-ignore no-explicit-any -- each test asserts the fields that it expects
  body: any;
  /** Milliseconds from the request to the reply. */
  ms: number;
}

/** A request whose body is sent piece by piece. */
interface RawRequest extends AsyncDisposable {
  /** Sends a piece of the body. */
  send(text: string): Promise<void>;
  /** Waits for the reply, whether or not the whole body was sent. */
  reply(): Promise<RawReply>;
}

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
): Promise<RawRequest> {
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
    send: (text) => send(length === null ? `${text.length.toString(16)}\r\n${text}\r\n` : text),
    reply: async () => {
      const buffer = new Uint8Array(16 * 1024);
      let text = "";
      while (true) {
        const [head, body] = text.split("\r\n\r\n");
        if (body !== undefined && body.length >= Number(/content-length: (\d+)/i.exec(head!)?.[1] ?? 0)) {
          return {
            status: Number(head!.slice(9, 12)),
            head: head!,
            body: JSON.parse(body),
            ms: performance.now() - started,
          };
        }
        const count = await connection.read(buffer);
        assert.ok(count !== null, `the connection ended after: ${text}`);
        // Decode as Latin-1 so that the string length equals Content-Length.
        text += new TextDecoder("latin1").decode(buffer.subarray(0, count));
      }
    },
    [Symbol.asyncDispose]: () => {
      connection.close();
      return Promise.resolve();
    },
  };
}
