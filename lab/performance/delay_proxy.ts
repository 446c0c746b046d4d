import { setImmediate } from "node:timers";

const TIMER_SLACK_MS = 3;

/** A way to a TCP server that is longer than the one on loopback. */
export interface DelayProxy {
  /** On 127.0.0.1. */
  port: number;
  close(): Promise<void>;
}

/**
 * Stands before a server on loopback and delivers every byte so many milliseconds late, in each direction. Bytes that
 * arrive while others are on their way wait for nobody, as on a line that is long and not narrow.
 */
export function startDelayProxy(target: { hostname: string; port: number }, eachWayMs: number): DelayProxy {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const sockets = new Set<Deno.TcpConn>();

  async function serve(client: Deno.TcpConn): Promise<void> {
    const server = await Deno.connect(target);
    for (const socket of [client, server]) {
      // What is sent on is a message already; waiting for more of it would be a delay of the proxy's own.
      socket.setNoDelay(true);
      sockets.add(socket);
    }
    await Promise.allSettled([
      forwardLate(client, server, eachWayMs),
      forwardLate(server, client, eachWayMs),
    ]);
    for (const socket of [client, server]) sockets.delete(socket);
  }
  const accepting = (async () => {
    for await (const client of listener) serve(client).catch(() => close(client));
  })();

  return {
    port: listener.addr.port,
    async close() {
      listener.close();
      for (const socket of sockets) close(socket);
      await accepting;
    },
  };
}

async function forwardLate(from: Deno.TcpConn, to: Deno.TcpConn, delayMs: number): Promise<void> {
  const writer = to.writable.getWriter();
  let delivered = Promise.resolve();
  for await (const chunk of from.readable) {
    const due = performance.now() + delayMs;
    delivered = delivered.then(() => until(due)).then(() => writer.write(chunk));
    // Said where it is waited for, below.
    delivered.catch(() => {});
  }
  await delivered;
  await writer.close();
}

/** A timer may be late by more than a millisecond, which would count as the network's: it is left early, and looked out for. */
async function until(due: number): Promise<void> {
  const wait = due - performance.now() - TIMER_SLACK_MS;
  if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
  while (performance.now() < due) await new Promise((resolve) => setImmediate(resolve));
}

function close(socket: Deno.TcpConn): void {
  try {
    socket.close();
  } catch {
    // Closed by its other end.
  }
}
