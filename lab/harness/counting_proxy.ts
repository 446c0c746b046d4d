import { type Forward, type Proxy, startProxy } from "./proxy.ts";

/** Frontend messages by which a client makes Postgres execute something: simple query, execute, function call. */
const EXECUTING = new Set(["Q", "E", "F"].map((letter) => letter.charCodeAt(0)));

/** A proxy that knows how many statements have passed. */
export interface CountingProxy extends Proxy {
  /** Statements since the last time it was asked. */
  take(): number;
}

/**
 * Counts the statements that a client sends to Postgres, by reading the wire protocol: what the driver really sends, not
 * what it was asked to.
 */
export function startCountingProxy(databaseUrl: string): CountingProxy {
  let statements = 0;
  const countForward: Forward = async (from, to) => {
    const countMessages = messageReader((type) => {
      if (EXECUTING.has(type)) statements++;
    });
    const writer = to.writable.getWriter();
    for await (const chunk of from.readable) {
      countMessages(chunk);
      await writer.write(chunk);
    }
    await writer.close();
  };
  return {
    ...startProxy(databaseUrl, countForward, (from, to) => from.readable.pipeTo(to.writable)),
    take() {
      const taken = statements;
      statements = 0;
      return taken;
    },
  };
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
