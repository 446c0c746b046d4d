import { type Forward, startProxy } from "../../bench/harness/proxy.ts";

/** What a proxy does with its connections: forward them, drop the requests, or drop the replies. */
export type Line = "up" | "down" | "answers lost";

/**
 * Starts a proxy in front of the API that can cut connections.
 * @param counted the first characters of the requests to count, such as `POST /functions/v1/api-v1-leads`
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
    /** Sets what the proxy does with calls from now on. */
    setLine: (line: Line) => {
      state.line = line;
      state.cutAfter = Infinity;
    },
    /** Forwards this many more counted requests, and cuts the connection at the next. */
    cutAfter: (requests: number) => state.cutAfter = state.count + requests,
    /** The number of counted requests so far, including those that were cut. */
    count: () => state.count,
  };
}
