import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { startCountingProxy } from "../../bench/harness/counting_proxy.ts";
import { startServer } from "../../bench/harness/functions.ts";
import { requestEachKind } from "../support/request_kinds.ts";
import { endpoints } from "../support/resources.ts";
import { accessTokens } from "../support/sessions.ts";
import { functionsDatabaseUrl, openDatabase } from "../support/stack.ts";

const STATEMENTS = {
  endpoint: 1,
  replay: 1,
  error: 1,
  malformed: 0,
  "first large body": 2,
  "first secret": 2,
};

Deno.test("every request takes one SQL statement, whatever the status; the first large body of a key and a caller's first new secret take two", async (t) => {
  await using sql = openDatabase();
  await using proxy = startCountingProxy(functionsDatabaseUrl);
  await using server = await startServer({
    DATABASE_URL: proxy.url,
    WEBHOOK_ENCRYPTION_KEY: Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64"),
    // Without a secret no poke reaches the dispatcher. Its statements would count for the request that poked it.
    WEBHOOK_DISPATCHER_SECRET: "",
    SUPABASE_JWKS: JSON.stringify(accessTokens.jwks),
  });
  let sent = 0;
  for await (const { kind, title, method, path, headers, body, expect } of requestEachKind(sql)) {
    sent++;
    proxy.takeCount();
    const response = await fetch(server.baseUrl + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const statements = proxy.takeCount();
    await t.step(`${kind}: ${title}`, () => {
      assert.equal(response.status, expect, text);
      assert.equal(statements, STATEMENTS[kind]);
    });
  }
  assert.ok(sent > endpoints.length);
});
