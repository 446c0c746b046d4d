import assert from "node:assert/strict";
import { generateKey } from "../../supabase/functions/_shared/keys/generate_key.ts";
import { serveResource } from "../../supabase/functions/_shared/http/serve.ts";
import { closeDatabase } from "../../supabase/functions/_shared/postgres/database.ts";
import { table as pipelines } from "../../supabase/functions/api-v1-pipelines/table.ts";
import { databaseUrl } from "../support/stack.ts";

Deno.test("Without DATABASE_URL a call is a 503, and a log line says what to set: the owner's address is not used", async () => {
  const { log } = console;
  const lines: string[] = [];
  const before = Deno.env.get("DATABASE_URL");
  await closeDatabase();
  Deno.env.delete("DATABASE_URL");
  // Supabase sets this one in every function.
  Deno.env.set("SUPABASE_DB_URL", databaseUrl);
  console.log = (line: string) => lines.push(line);
  try {
    const request = new Request("http://localhost/api-v1-pipelines", {
      headers: { "X-API-Key": generateKey() },
    });
    const reply = await serveResource(pipelines)(request);
    assert.equal(reply.status, 503);
    assert.equal(JSON.parse(await reply.text()).error.code, "service_unavailable");
  } finally {
    // The refusal is counted, and its count is logged after a second.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    console.log = log;
    Deno.env.delete("SUPABASE_DB_URL");
    if (before !== undefined) Deno.env.set("DATABASE_URL", before);
  }
  const { error } = lines.map((line) => JSON.parse(line)).find(({ event }) =>
    event === "database_misconfigured"
  )!;
  assert.match(error, /DATABASE_URL is not an address of Postgres: set it to postgresql:\/\/crm_functions/);
});
