import { Crm, type CrmOptions, type Retry } from "../../clients/sdk/src/index.ts";
import { startProxy } from "../../bench/harness/proxy.ts";
import { baseUrl } from "./stack.ts";

/** A request that the SDK sent. */
export interface Sent {
  method: string;
  /** Below the base URL, without the query. */
  path: string;
  query: URLSearchParams;
  headers: Headers;
  body: string | null;
}

/** A client of the shared stack that records its requests and the reasons for its retries. */
export function recordingCrm(key: string | null, options: Partial<CrmOptions> = {}) {
  const sent: Sent[] = [];
  const retries: Retry[] = [];
  const base = options.baseUrl ?? baseUrl;
  const crm = new Crm({
    key,
    baseUrl: base,
    onRetry: (retry) => retries.push(retry),
    fetch: (input, init) => {
      const { pathname, searchParams } = new URL(String(input));
      sent.push({
        method: init!.method!,
        path: pathname.slice(new URL(base).pathname.length),
        query: searchParams,
        headers: new Headers(init!.headers),
        body: init!.body ? new TextDecoder().decode(init!.body as Uint8Array<ArrayBuffer>) : null,
      });
      return fetch(input, init);
    },
    ...options,
  });
  return { crm, sent, retries };
}

/** When a connection is cut: before the request arrives, before the reply arrives, or within the reply. */
export type Cut = "request" | "answer" | "half";

/** A proxy that cuts the first connections, one for each of `cuts`, and then forwards. */
export function startCuttingProxy(cuts: Cut[]) {
  const left = [...cuts];
  const cutOf = new Map<Deno.TcpConn, Cut | undefined>();
  return startProxy(
    baseUrl,
    async (client, server) => {
      const cut = left.shift();
      cutOf.set(client, cut);
      if (cut !== "request") return await client.readable.pipeTo(server.writable);
      await client.read(new Uint8Array(1));
      for (const socket of [client, server]) socket.close();
    },
    async (server, client) => {
      const cut = cutOf.get(client);
      if (cut === "request") return;
      if (cut === undefined) return await server.readable.pipeTo(client.writable);
      // The first byte of an answer shows that the request was carried out.
      const answer = new Uint8Array(100);
      const length = await server.read(answer) ?? 0;
      if (cut === "half") await client.write(answer.subarray(0, length));
      client.close();
    },
  );
}
