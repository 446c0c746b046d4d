import { connect, type Socket } from "node:net";
import postgres from "postgres";

/**
 * A client for tools and tests. (The functions have their own, `_shared/database.ts`.)
 *
 * postgres.js sends what has gathered from a timer, and on Deno 2.1 a timer that was cleared may still fire: it then
 * writes `null`, which throws where nobody can catch it and ends the process (denoland/deno#29262). So null is not written.
 */
export function openSql(url: string, options: postgres.Options<Record<string, never>> = {}): postgres.Sql {
  // `socket` is a documented option that the types leave out.
  const withSocket = { onnotice: () => {}, ...options, socket: guardedSocket };
  return postgres(url, withSocket);
}

/** Still connecting: what is written to it waits, and a failure to connect is an event like any other. */
function guardedSocket({ host, port }: { host: string[]; port: number[] }): Socket {
  const socket = connect({ host: host[0]!, port: port[0]! });
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  socket.write = (...args: unknown[]) => args[0] === null || write(...args);
  return socket;
}
