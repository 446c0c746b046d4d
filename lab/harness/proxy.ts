/** Carries what one end sends to the other, until that end closes. */
export type Forward = (from: Deno.TcpConn, to: Deno.TcpConn) => Promise<void>;

/** What stands between a client and a server on loopback. */
export interface Proxy extends AsyncDisposable {
  /** The server's address, with the proxy's port. */
  url: string;
}

/** @param answers carries the server's bytes, where not as `questions` carries the client's */
export function startProxy(serverUrl: string, questions: Forward, answers = questions): Proxy {
  const url = new URL(serverUrl);
  const target = { hostname: url.hostname, port: Number(url.port) };
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  url.port = String(listener.addr.port);
  const sockets = new Set<Deno.TcpConn>();

  async function serve(client: Deno.TcpConn): Promise<void> {
    const server = await Deno.connect(target);
    for (const socket of [client, server]) {
      // What is sent on is a message already; waiting for more of it would be a delay of the proxy's own.
      socket.setNoDelay(true);
      sockets.add(socket);
    }
    await Promise.allSettled([questions(client, server), answers(server, client)]);
    for (const socket of [client, server]) sockets.delete(socket);
  }
  const accepting = (async () => {
    for await (const client of listener) serve(client).catch(() => close(client));
  })();

  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      listener.close();
      sockets.forEach(close);
      await accepting;
    },
  };
}

function close(socket: Deno.TcpConn): void {
  try {
    socket.close();
  } catch {
    // Closed by its other end.
  }
}
