// Which origins may call which functions from a browser: only the console's (APP_ORIGIN) may use sessions.
import assert from "node:assert/strict";
import { functionApp } from "../../supabase/functions/_shared/http/app.ts";
import type { GateName } from "../../supabase/functions/_shared/contract/declaration.ts";
import { withEnvironment } from "../support/environment.ts";

const CONSOLE = "https://padaria.github.io";
const LISTED = "https://site.example";

/** Asks, as a browser does before a call, whether a page may make it. */
async function preflight(gate: GateName, origin: string, asked: string): Promise<Headers> {
  let headers = new Headers();
  await withEnvironment({ APP_ORIGIN: `${CONSOLE}/crm/`, CORS_ALLOWED_ORIGINS: LISTED }, async () => {
    const app = functionApp("any", gate);
    app.all("*", (c) => c.text("answered"));
    const response = await app.request("/any", {
      method: "OPTIONS",
      headers: {
        Origin: origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": asked,
      },
    });
    headers = response.headers;
  });
  return headers;
}

for (
  const [gate, allowed] of [
    ["session", [CONSOLE]],
    ["link", [CONSOLE, LISTED]],
    ["key", [LISTED]],
    ["none", [LISTED]],
  ] as const
) {
  Deno.test(`Behind the gate "${gate}" pages of ${allowed.join(" and ")} may call, and no others`, async () => {
    for (const origin of [CONSOLE, LISTED, "https://evil.example", `${CONSOLE}.evil.example`, "null"]) {
      const headers = await preflight(gate, origin, "content-type");
      const granted = (allowed as readonly string[]).includes(origin) ? origin : null;
      assert.equal(headers.get("Access-Control-Allow-Origin"), granted, origin);
      // Credentials are not allowed, because sessions use no cookies: the page sends the token in a header.
      assert.equal(headers.get("Access-Control-Allow-Credentials"), null);
    }
  });
}

Deno.test("The console may send the session, the workspace and what Supabase's client adds; nobody may send an API key there", async () => {
  const headers = await preflight("session", CONSOLE, "authorization");
  const allowed = headers.get("Access-Control-Allow-Headers")!.toLowerCase().split(",");
  assert.deepEqual(allowed.sort(), [
    "apikey",
    "authorization",
    "content-type",
    "x-client-info",
    "x-workspace-id",
  ]);
});

Deno.test("Without APP_ORIGIN no page may use a session", async () => {
  await withEnvironment({ APP_ORIGIN: null, CORS_ALLOWED_ORIGINS: LISTED }, async () => {
    const app = functionApp("any", "session");
    app.all("*", (c) => c.text("answered", 405));
    const response = await app.request("/any", { method: "OPTIONS", headers: { Origin: LISTED } });
    assert.equal(response.headers.get("Access-Control-Allow-Origin"), null);
  });
});
