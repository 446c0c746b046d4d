import { Buffer } from "node:buffer";
import type { Sql } from "postgres";
import { startCountingProxy } from "../../tests/support/counting_proxy.ts";
import { startServer } from "./functions.ts";
import { everyKindOfRequest, type KindRequest } from "./requests.ts";

/** How a request went. */
export interface Counted {
  request: KindRequest;
  status: number;
  statements: number;
}

/** Sends every kind of request, one after the other, and counts the statements that each sends to the database. */
export async function* countStatements(
  sql: Sql,
  databaseUrl: string,
): AsyncGenerator<Counted, void, undefined> {
  await using proxy = startCountingProxy(databaseUrl);
  const server = await startServer({
    DATABASE_URL: proxy.url,
    WEBHOOK_ENCRYPTION_KEY: Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64"),
    // Nobody is let in: a dispatcher that was woken would be counted to whoever woke it.
    WEBHOOK_DISPATCHER_SECRET: "",
  });
  try {
    for await (const request of everyKindOfRequest(sql, server.baseUrl)) {
      // What making its records took.
      proxy.take();
      const status = await send(server.baseUrl, request);
      yield { request, status, statements: proxy.take() };
    }
  } finally {
    await server.stop();
  }
}

/** Statements that a request may send. */
export function allowedStatements({ kind }: KindRequest): 0 | 1 {
  return kind === "unasked" ? 0 : 1;
}

async function send(baseUrl: string, { method, path, headers, body }: KindRequest): Promise<number> {
  const response = await fetch(baseUrl + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  await response.body?.cancel();
  return response.status;
}
