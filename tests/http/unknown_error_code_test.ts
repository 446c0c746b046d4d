import assert from "node:assert/strict";
import { table as pipelines } from "../../supabase/functions/api-v1-pipelines/table.ts";
import { serveResource } from "../../supabase/functions/_shared/http/serve.ts";
import { closeDatabase } from "../../supabase/functions/_shared/postgres/database.ts";
import { test } from "../support/scenario.ts";
import { functionsDatabaseUrl } from "../support/stack.ts";

/** Runs `work`, which calls functions in this process on the stack's database; returns the lines logged meanwhile. */
async function withLog(work: () => Promise<void>): Promise<Record<string, unknown>[]> {
  const { log } = console;
  const before = Deno.env.get("DATABASE_URL");
  const lines: string[] = [];
  Deno.env.set("DATABASE_URL", functionsDatabaseUrl);
  console.log = (line: string) => lines.push(line);
  try {
    await work();
  } finally {
    console.log = log;
    await closeDatabase();
    if (before === undefined) Deno.env.delete("DATABASE_URL");
    else Deno.env.set("DATABASE_URL", before);
  }
  return lines.map((line) => JSON.parse(line));
}

test("a code that the error table lacks is a 500 to the client, and is logged with its verb and request id", async ({ sql, workspace: { key } }) => {
  const [{ definition }] = await sql<[{ definition: string }]>`
    select pg_get_functiondef('api.pipeline_list(jsonb)'::regprocedure) as definition`;
  await sql.unsafe(`
    create or replace function api.pipeline_list(p_args jsonb) returns json
    language plpgsql stable set search_path = ''
    as $$ begin perform api.fail('no_such_code'); end $$`);
  try {
    let reply: Response | undefined;
    const lines = await withLog(async () => {
      const request = new Request("http://localhost/api-v1-pipelines", { headers: { "X-API-Key": key } });
      reply = await serveResource(pipelines)(request);
    });
    assert.equal(reply!.status, 500);
    const text = await reply!.text();
    assert.equal(JSON.parse(text).error.code, "internal_error");
    assert.doesNotMatch(text, /no_such_code/);
    const request_id = reply!.headers.get("X-Request-Id");
    const { at: _, ...logged } = lines.find(({ event }) => event === "unknown_error_code")!;
    assert.deepEqual(logged, {
      event: "unknown_error_code",
      request_id,
      code: "no_such_code",
      verb: "pipeline_list",
    });
    const line = lines.find(({ event }) => event === "request")!;
    assert.deepEqual([line["request_id"], line["status"]], [request_id, 500]);
  } finally {
    await sql.unsafe(definition);
  }
});
