import type { ServerCertificate } from "../../bench/harness/certificates.ts";

export interface HostileConnection {
  /** Reads one request with its body; returns its text, empty if the dispatcher has closed the connection. */
  readRequest(): Promise<string>;
  write(text: string): Promise<void>;
  /** Answers nothing until the receiver is closed. */
  silence(): Promise<void>;
}

/** Handles a connection in place of an HTTP server. The connection is closed when this function returns. */
export type Behaviour = (connection: HostileConnection) => Promise<void>;

/** Starts a receiver on loopback with this behaviour, and with TLS where a certificate is given. */
export function startHostile(behaviour: Behaviour, tls: ServerCertificate | null) {
  const address = { hostname: "127.0.0.1", port: 0 };
  const listener = tls === null ? Deno.listen(address) : Deno.listenTls({ ...address, ...tls });
  const connections = new Set<Deno.Conn>();
  const serving: Promise<void>[] = [];
  const closed = Promise.withResolvers<void>();

  async function serve(connection: Deno.Conn): Promise<void> {
    connections.add(connection);
    try {
      await behaviour({
        readRequest: async () => await readMessage(connection) ?? "",
        async write(text) {
          const bytes = new TextEncoder().encode(text);
          for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
        },
        silence: () => closed.promise,
      });
    } catch {
      // The dispatcher closed the connection, as it should.
    } finally {
      close(connection);
    }
  }

  function close(connection: Deno.Conn): void {
    if (connections.delete(connection)) connection.close();
  }

  const accepting = (async () => {
    for await (const connection of listener) serving.push(serve(connection));
  })();

  return {
    port: (listener.addr as Deno.NetAddr).port,
    async [Symbol.asyncDispose]() {
      listener.close();
      closed.resolve();
      for (const connection of connections) close(connection);
      await accepting;
      await Promise.all(serving);
    },
  };
}

/** Reads an HTTP/1.1 message that has a Content-Length or no body; null if the connection ends earlier. */
export async function readMessage(connection: Deno.Conn): Promise<string | null> {
  const received = new Uint8Array(64 * 1024);
  for (let text = "";;) {
    const [head, body] = text.split("\r\n\r\n");
    const length = Number(/^content-length: (\d+)$/im.exec(head!)?.[1] ?? 0);
    if (body !== undefined && body.length >= length) return text;
    const read = await connection.read(received);
    if (read === null) return null;
    // Decode as Latin-1 so that the string length equals Content-Length.
    text += new TextDecoder("latin1").decode(received.subarray(0, read));
  }
}
