import assert from "node:assert/strict";
import { table as pipelines } from "../../supabase/functions/api-v1-pipelines/table.ts";
import { serveResource } from "../../supabase/functions/_shared/http/serve.ts";
import { withEnvironment } from "../support/environment.ts";
import { loggedOf } from "../support/request_log.ts";
import { test } from "../support/scenario.ts";
import { functionsDatabaseUrl } from "../support/stack.ts";

test("a code that the error table lacks is a 500 to the client, and is logged with its verb and request id", async ({ sql, workspace: { key } }) => {
  const [{ definition }] = await sql<[{ definition: string }]>`
    select pg_get_functiondef('api.pipeline_list(jsonb)'::regprocedure) as definition`;
  await sql.unsafe(`
    create or replace function api.pipeline_list(p_args jsonb) returns json
    language plpgsql stable set search_path = ''
    as $$ begin perform api.fail('no_such_code'); end $$`);
  try {
    let reply: Response | undefined;
    const lines = await withEnvironment({ DATABASE_URL: functionsDatabaseUrl }, async () => {
      const request = new Request("http://localhost/api-v1-pipelines", { headers: { "X-API-Key": key } });
      reply = await serveResource(pipelines)(request);
      // The function logs the request after its reply, in this process.
      await loggedOf(key, reply);
    });
    assert.equal(reply!.status, 500);
    const text = await reply!.text();
    assert.equal(JSON.parse(text).error.code, "internal_error");
    assert.doesNotMatch(text, /no_such_code/);
    const request_id = reply!.headers.get("X-Request-Id");
    const { at: _, ...logged } = lines.find(({ event }) => event === "unknown_error_code")!;
    const [code, verb] = ["no_such_code", "pipeline_list"];
    assert.deepEqual(logged, { event: "unknown_error_code", request_id, code, verb });
    const line = lines.find(({ event }) => event === "request")!;
    assert.deepEqual([line["request_id"], line["status"]], [request_id, 500]);
  } finally {
    await sql.unsafe(definition);
  }
});
