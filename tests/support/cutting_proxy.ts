import { type Forward, forwardWhile, startProxy } from "../../bench/harness/proxy.ts";

/** What a proxy does with its connections: forward them, drop the requests, or drop the replies. */
export type Line = "up" | "down" | "answers lost";

/**
 * Starts a proxy in front of the API that can cut connections.
 * @param counted the beginning of each request to count, such as `POST /functions/v1/api-v1-leads`
 */
export function startCuttingProxy(baseUrl: string, counted: string) {
  const state = { line: "up" as Line, count: 0, cutAfter: Infinity };
  const decoder = new TextDecoder("latin1");
  const toServer: Forward = (from, to) =>
    forwardWhile(from, to, (chunk) => {
      if (decoder.decode(chunk.subarray(0, 200)).startsWith(counted)) state.count++;
      if (state.count > state.cutAfter) state.line = "down";
      return state.line !== "down";
    });
  const toClient: Forward = (from, to) => forwardWhile(from, to, () => state.line === "up");
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
