import { Buffer } from "node:buffer";
import type { Sql } from "postgres";
import { startCountingProxy } from "../../harness/counting_proxy.ts";
import { openAccessTokens } from "../../../run/local/auth/access_tokens.ts";
import { installAuthSchema } from "../../../run/local/auth/schema.ts";
import { generateSigningKey } from "../../../run/local/auth/signing_key.ts";
import { startServer } from "../../harness/functions.ts";
import { sendOnce } from "../load/template.ts";
import { type KindRequest, requestEachKind } from "./requests.ts";

export interface Counted {
  request: KindRequest;
  statements: number;
}

/**
 * Sends a request of every kind in turn, and counts the statements of each.
 * @throws Error if a request gets another status than expected
 */
export async function* countStatements(
  sql: Sql,
  functionsDatabaseUrl: string,
): AsyncGenerator<Counted, void, undefined> {
  await installAuthSchema(sql);
  const tokens = await openAccessTokens(generateSigningKey(), "http://127.0.0.1/auth/v1");
  await using proxy = startCountingProxy(functionsDatabaseUrl);
  await using server = await startServer({
    DATABASE_URL: proxy.url,
    WEBHOOK_ENCRYPTION_KEY: Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64"),
    // Without a secret no poke reaches the dispatcher, whose statements would count for the request that poked it.
    WEBHOOK_DISPATCHER_SECRET: "",
    SUPABASE_JWKS: JSON.stringify(tokens.jwks),
  });
  for await (const request of requestEachKind(sql, server.baseUrl, tokens)) {
    // Discards the statements that created the records of the request.
    proxy.takeCount();
    await sendOnce(server.baseUrl, request, 0);
    yield { request, statements: proxy.takeCount() };
  }
}

export function allowedStatements({ kind }: KindRequest): 0 | 1 | 2 {
  if (kind === "malformed") return 0;
  return kind === "first large body" ? 2 : 1;
}
