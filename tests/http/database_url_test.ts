import assert from "node:assert/strict";
import { generateKey } from "../../supabase/functions/_shared/keys/generate_key.ts";
import { serveResource } from "../../supabase/functions/_shared/http/serve.ts";
import { table as pipelines } from "../../supabase/functions/api-v1-pipelines/table.ts";
import { eventually } from "../support/mailbox.ts";
import { withEnvironment } from "../support/environment.ts";
import { databaseUrl } from "../support/stack.ts";

Deno.test("Without DATABASE_URL a call is a 503, a log line says what to set, and SUPABASE_DB_URL is not used instead", async () => {
  // Supabase sets SUPABASE_DB_URL in every function.
  await withEnvironment({ DATABASE_URL: null, SUPABASE_DB_URL: databaseUrl }, async (lines) => {
    const headers = { "X-API-Key": generateKey() };
    const reply = await serveResource(pipelines)(
      new Request("http://localhost/api-v1-pipelines", { headers }),
    );
    assert.equal(reply.status, 503);
    assert.equal(JSON.parse(await reply.text()).error.code, "service_unavailable");
    // Refused calls are counted, and the count is logged after a second.
    await eventually(() => lines.some(({ event }) => event === "refused"), "the count of refusals");
    const { error } = lines.find(({ event }) => event === "database_misconfigured")!;
    assert.match(
      String(error),
      /DATABASE_URL is not an address of Postgres: set it to postgresql:\/\/crm_functions/,
    );
  });
});
