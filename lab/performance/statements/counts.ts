import { Buffer } from "node:buffer";
import type { Sql } from "postgres";
import { startCountingProxy } from "../../harness/counting_proxy.ts";
import { startServer } from "../../harness/functions.ts";
import { type KindRequest, requestEachKind } from "./requests.ts";

/** A request, how it was answered, and how many statements that took. */
export interface Counted {
  request: KindRequest;
  status: number;
  statements: number;
}

/** Sends a request of every kind, one after the other, and counts the statements that each sends to the database. */
export async function* countStatements(
  sql: Sql,
  databaseUrl: string,
): AsyncGenerator<Counted, void, undefined> {
  await using proxy = startCountingProxy(databaseUrl);
  await using server = await startServer({
    DATABASE_URL: proxy.url,
    WEBHOOK_ENCRYPTION_KEY: Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64"),
    // Nobody is let in: a dispatcher that was woken would be counted to whoever woke it.
    WEBHOOK_DISPATCHER_SECRET: "",
  });
  for await (const request of requestEachKind(sql, server.baseUrl)) {
    // What making its records took.
    proxy.take();
    const { method, path, headers, body } = request;
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await fetch(server.baseUrl + path, init);
    await response.body?.cancel();
    yield { request, status: response.status, statements: proxy.take() };
  }
}

/** Statements that a request may send. */
export function allowedStatements({ kind }: KindRequest): 0 | 1 {
  return kind === "unasked" ? 0 : 1;
}
