// The two addresses of the service: PUBLIC_URL for clients, SUPABASE_URL between functions.
import assert from "node:assert/strict";
import { table as contacts } from "../../supabase/functions/api-v1-contacts/table.ts";
import { serveResource } from "../../supabase/functions/_shared/http/serve.ts";
import { pokeDispatcher } from "../../supabase/functions/_shared/webhooks/poke.ts";
import { withEnvironment } from "../support/environment.ts";
import { test } from "../support/scenario.ts";
import { functionsDatabaseUrl } from "../support/stack.ts";

/** Stands in for the dispatcher and keeps its last request. */
function startDispatcher() {
  let got: unknown[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    ({ method, url, headers }) => {
      got = [method, new URL(url).pathname, headers.get("Authorization"), headers.get("x-region")];
      return new Response(null, { status: 202 });
    },
  );
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    got: () => got,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

test("Location begins with PUBLIC_URL, else with SUPABASE_URL", async ({ workspace: { key } }) => {
  async function location(variables: Record<string, string | null>): Promise<string> {
    let reply: Response | undefined;
    await withEnvironment({ ...variables, DATABASE_URL: functionsDatabaseUrl }, async () => {
      reply = await serveResource(contacts)(
        new Request("http://localhost/api-v1-contacts", {
          method: "POST",
          headers: { "X-API-Key": key, "Content-Type": "application/json" },
          body: JSON.stringify({ name: "Ana" }),
        }),
      );
    });
    const { id } = await reply!.json();
    return reply!.headers.get("Location")!.replace(id, "<id>");
  }
  const inside = "http://kong:8000";
  assert.equal(
    await location({ PUBLIC_URL: "https://crm.example/", SUPABASE_URL: inside }),
    "https://crm.example/functions/v1/api-v1-contacts/<id>",
  );
  assert.equal(
    await location({ PUBLIC_URL: null, SUPABASE_URL: "https://x.supabase.co" }),
    "https://x.supabase.co/functions/v1/api-v1-contacts/<id>",
  );
  assert.equal(
    await location({ PUBLIC_URL: "", SUPABASE_URL: inside }),
    `${inside}/functions/v1/api-v1-contacts/<id>`,
  );
});

Deno.test("A poke goes to SUPABASE_URL, else to PUBLIC_URL, and names the region if one is set", async () => {
  await using dispatcher = startDispatcher();
  const CASES: [variables: Record<string, string | null>, region: string | null][] = [
    [{ SUPABASE_URL: dispatcher.origin, PUBLIC_URL: "https://crm.invalid", FUNCTIONS_REGION: null }, null],
    [{ SUPABASE_URL: null, PUBLIC_URL: dispatcher.origin, FUNCTIONS_REGION: "sa-east-1" }, "sa-east-1"],
  ];
  for (const [variables, region] of CASES) {
    const lines = await withEnvironment(
      { ...variables, WEBHOOK_DISPATCHER_SECRET: "shared" },
      async () => await pokeDispatcher(),
    );
    assert.deepEqual(lines, []);
    assert.deepEqual(
      dispatcher.got(),
      ["POST", "/functions/v1/webhook-dispatcher", "Bearer shared", region],
    );
  }
});
