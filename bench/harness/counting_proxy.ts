import { type Forward, forwardWhile, startProxy } from "./proxy.ts";

/** Types of the messages that make Postgres execute something: simple query, execute, function call. */
const EXECUTING = new Set(["Q", "E", "F"].map((letter) => letter.charCodeAt(0)));
const BIND = "B".charCodeAt(0);
const QUERY = "Q".charCodeAt(0);
/** The name of the prepared statement that writes the request log. */
const LOG = "log_requests";

/**
 * Counts the statements that a client sends to Postgres, except those that write the request log or configure a new
 * connection, because these belong to no request. The proxy reads the wire protocol, because a driver may send more
 * statements than its caller wrote.
 */
export function startCountingProxy(databaseUrl: string) {
  let statements = 0;
  /** For each client's connection, the statements sent since the last bytes of a reply. */
  const unanswered = new WeakMap<Deno.TcpConn, number>();
  let mostUnanswered = 0;
  const countForward: Forward = (from, to) => {
    let isLog = false;
    const countMessages = messageReader((type, body) => {
      // A Bind message begins with two names: the portal, whose name is empty, and the prepared statement.
      if (type === BIND) isLog = new TextDecoder().decode(body).startsWith(`\0${LOG}\0`);
      const configures = type === QUERY && new TextDecoder().decode(body).startsWith("set ");
      if (!EXECUTING.has(type) || isLog || configures) return;
      statements++;
      const sent = (unanswered.get(from) ?? 0) + 1;
      unanswered.set(from, sent);
      mostUnanswered = Math.max(mostUnanswered, sent);
    });
    return forwardWhile(from, to, (chunk) => {
      countMessages(chunk);
      return true;
    });
  };
  const forwardReplies: Forward = (from, to) =>
    forwardWhile(from, to, () => {
      unanswered.set(to, 0);
      return true;
    });
  return {
    ...startProxy(databaseUrl, countForward, forwardReplies),
    /** Returns the largest number of statements that a connection has sent without a reply in between. */
    mostUnanswered: () => mostUnanswered,
    takeCount(): number {
      const taken = statements;
      statements = 0;
      return taken;
    },
  };
}

/**
 * Calls `onMessage` for each message of the client, however the bytes are split into chunks. Skips the first message,
 * which has no type.
 */
function messageReader(onMessage: (type: number, body: Uint8Array) => void): (chunk: Uint8Array) => void {
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
      if (started) onMessage(joined[offset]!, joined.subarray(offset + 5, offset + length));
      started = true;
      offset += length;
    }
    buffer = joined.slice(offset);
  };
}
