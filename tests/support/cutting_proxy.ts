import { type Forward, startProxy } from "../../bench/harness/proxy.ts";

/** What a proxy does with its connections: all goes on, none reaches the API, or none of its answers comes back. */
export type Line = "up" | "down" | "answers lost";

/**
 * Starts a proxy before the API whose line can be cut.
 * @param counted the beginning of the requests that it counts, such as `POST /functions/v1/api-v1-leads`
 */
export function startCuttingProxy(baseUrl: string, counted: string) {
  const state = { line: "up" as Line, count: 0, cutAfter: Infinity };
  const decoder = new TextDecoder("latin1");
  const close = (...connections: Deno.TcpConn[]) => {
    for (const connection of connections) {
      try {
        connection.close();
      } catch {
        // Closed already.
      }
    }
  };
  const toServer: Forward = async (from, to) => {
    const writer = to.writable.getWriter();
    for await (const chunk of from.readable) {
      if (decoder.decode(chunk.subarray(0, 200)).startsWith(counted)) state.count++;
      if (state.count > state.cutAfter) state.line = "down";
      if (state.line === "down") return close(from, to);
      await writer.write(chunk);
    }
    await writer.close();
  };
  const toClient: Forward = async (from, to) => {
    const writer = to.writable.getWriter();
    for await (const chunk of from.readable) {
      if (state.line !== "up") return close(from, to);
      await writer.write(chunk);
    }
    await writer.close();
  };
  const proxy = startProxy(baseUrl, toServer, toClient);
  return {
    ...proxy,
    /** Sets what becomes of the calls from now on. */
    setLine: (line: Line) => {
      state.line = line;
      state.cutAfter = Infinity;
    },
    /** Lets so many counted requests pass, then cuts the line. */
    cutAfter: (requests: number) => state.cutAfter = state.count + requests,
    /** The counted requests so far, those that were cut included. */
    count: () => state.count,
  };
}
