/** Frontend messages by which a client makes Postgres execute something: simple query, execute, function call. */
const EXECUTING = new Set(["Q", "E", "F"].map((letter) => letter.charCodeAt(0)));

/**
 * Stands between a client and Postgres on loopback and counts the statements that pass, by reading the wire protocol:
 * what the driver really sends, not what it was asked to.
 */
export function startCountingProxy(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let statements = 0;
  const sockets = new Set<Deno.Conn>();

  async function serve(client: Deno.Conn): Promise<void> {
    const server = await Deno.connect({ hostname: target.hostname, port: Number(target.port) });
    for (const socket of [client, server]) sockets.add(socket);
    const countMessages = messageReader((type) => {
      if (EXECUTING.has(type)) statements++;
    });
    await Promise.allSettled([
      forwardCounted(client, server, countMessages),
      server.readable.pipeTo(client.writable),
    ]);
  }
  const accepting = (async () => {
    for await (const client of listener) serve(client);
  })();

  const url = new URL(databaseUrl);
  url.port = String((listener.addr as Deno.NetAddr).port);
  return {
    url: url.href,
    /** Statements since the last time it was asked. */
    take(): number {
      const taken = statements;
      statements = 0;
      return taken;
    },
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const socket of sockets) {
        try {
          socket.close();
        } catch {
          // Closed by its other end.
        }
      }
      await accepting;
    },
  };
}

async function forwardCounted(
  from: Deno.Conn,
  to: Deno.Conn,
  count: (chunk: Uint8Array) => void,
): Promise<void> {
  const writer = to.writable.getWriter();
  for await (const chunk of from.readable) {
    count(chunk);
    await writer.write(chunk);
  }
  await writer.close();
}

/** Calls back with the type of each frontend message, however the bytes are cut. The first has no type: start-up. */
function messageReader(onMessage: (type: number) => void): (chunk: Uint8Array) => void {
  let buffer = new Uint8Array();
  let started = false;
  return (chunk) => {
    const joined = new Uint8Array(buffer.length + chunk.length);
    joined.set(buffer);
    joined.set(chunk, buffer.length);
    let offset = 0;
    while (true) {
      const header = started ? 1 : 0;
      if (joined.length - offset < header + 4) break;
      const length = new DataView(joined.buffer, offset + header, 4).getUint32(0) + header;
      if (joined.length - offset < length) break;
      if (started) onMessage(joined[offset]!);
      started = true;
      offset += length;
    }
    buffer = joined.slice(offset);
  };
}
