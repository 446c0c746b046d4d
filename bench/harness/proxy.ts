/** Copies to the connection `to` what the connection `from` sends, until `from` closes. */
export type Forward = (from: Deno.TcpConn, to: Deno.TcpConn) => Promise<void>;

/** Copies each chunk for which `pass` returns true. At the first false it closes both connections. */
export async function forwardWhile(
  from: Deno.TcpConn,
  to: Deno.TcpConn,
  pass: (chunk: Uint8Array) => boolean | Promise<boolean>,
): Promise<void> {
  const writer = to.writable.getWriter();
  for await (const chunk of from.readable) {
    if (!await pass(chunk)) return [from, to].forEach(close);
    await writer.write(chunk);
  }
  await writer.close();
}

export interface Proxy extends AsyncDisposable {
  /** The server's address, with the proxy's port. */
  url: string;
  countConnections(): number;
}

/** @param toClient copies the server's bytes; if absent, `toServer` copies both directions */
export function startProxy(serverUrl: string, toServer: Forward, toClient = toServer): Proxy {
  const url = new URL(serverUrl);
  const target = { hostname: url.hostname, port: Number(url.port) };
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  url.port = String(listener.addr.port);
  const sockets = new Set<Deno.TcpConn>();

  async function serve(client: Deno.TcpConn): Promise<void> {
    const server = await Deno.connect(target);
    for (const socket of [client, server]) {
      // Nagle's algorithm would delay small messages.
      socket.setNoDelay(true);
      sockets.add(socket);
    }
    await Promise.allSettled([toServer(client, server), toClient(server, client)]);
    for (const socket of [client, server]) sockets.delete(socket);
  }
  const accepting = (async () => {
    for await (const client of listener) serve(client).catch(() => close(client));
  })();

  return {
    url: url.href,
    // Each connection has two sockets.
    countConnections: () => sockets.size / 2,
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
    // It is closed already.
  }
}
