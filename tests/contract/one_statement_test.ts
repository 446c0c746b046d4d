import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { startCountingProxy } from "../../bench/harness/counting_proxy.ts";
import { startServer } from "../../bench/harness/functions.ts";
import { call, findRoute } from "../support/client.ts";
import { assertDocumented } from "../support/documented.ts";
import { requestEachKind } from "../support/request_kinds.ts";
import { endpoints } from "../support/resources.ts";
import { accessTokens } from "../support/sessions.ts";
import { functionsDatabaseUrl, openDatabase, openWithoutTriggers } from "../support/stack.ts";

const STATEMENTS = {
  endpoint: 1,
  replay: 1,
  error: 1,
  malformed: 0,
  "first large body": 2,
  "first secret": 2,
};

Deno.test("every request takes one SQL statement, whatever the status, and gets a reply that the OpenAPI document declares; a malformed credential takes none, the first large body of a key and a caller's first new secret take two (spec 2.5)", async (t) => {
  await using sql = openDatabase();
  await using tracking = await trackFunctions();
  await using proxy = startCountingProxy(functionsDatabaseUrl);
  await using server = await startServer({
    DATABASE_URL: proxy.url,
    WEBHOOK_ENCRYPTION_KEY: Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64"),
    // Without a secret the dispatcher refuses every poke. Its statements would count as the poking request's.
    WEBHOOK_DISPATCHER_SECRET: "",
    SUPABASE_JWKS: JSON.stringify(accessTokens.jwks),
  });
  let sent = 0;
  for await (const { kind, title, method, path, headers, body, expect } of requestEachKind(sql)) {
    sent++;
    await t.step(`${kind}: ${title}`, async () => {
      proxy.takeCount();
      const reply = await call(method, path, { base: server.baseUrl, headers, body });
      const statements = proxy.takeCount();
      assert.equal(reply.status, expect, reply.text);
      assert.equal(statements, STATEMENTS[kind]);
      const route = findRoute(method, path);
      if (route !== undefined) assertDocumented(path.split(/[/?]/)[1]!, route, reply);
    });
  }
  assert.ok(sent > endpoints.length);
  await t.step(
    "no request calls an SQL function that Postgres would parse and plan at each call",
    async () => {
      assert.deepEqual(await tracking.calledSqlFunctions(), []);
    },
  );
});

/**
 * Counts the functions that new connections of the edge functions' role call, until the scope ends. Postgres does not
 * count functions that it inlines.
 */
async function trackFunctions() {
  const admin = await openWithoutTriggers();
  await admin`alter role crm_functions set track_functions = 'all'`;
  await admin`select pg_stat_reset()`;
  return {
    /** Functions without arguments are left out: Postgres calls them once, when it plans. */
    async calledSqlFunctions() {
      const rows = await admin<{ name: string }[]>`
        select distinct p.oid::regprocedure::text as name from pg_stat_user_functions f
        join pg_proc p on p.oid = f.funcid
        join pg_language l on l.oid = p.prolang
        where l.lanname = 'sql' and p.pronargs > 0 order by 1`;
      return rows.map(({ name }) => name);
    },
    async [Symbol.asyncDispose]() {
      await admin`alter role crm_functions reset track_functions`;
      await admin.end();
    },
  };
}
