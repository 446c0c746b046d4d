// CORS: which origins may call which functions. Only the console's origin (APP_ORIGIN) may use sessions.
import assert from "node:assert/strict";
import { functionApp } from "../../supabase/functions/_shared/http/app.ts";
import type { GateName } from "../../supabase/functions/_shared/contract/declaration.ts";
import { withEnvironment } from "../support/environment.ts";

const CONSOLE = "https://padaria.github.io";
const LISTED = "https://site.example";
const VARIABLES: Record<string, string | null> = {
  APP_ORIGIN: `${CONSOLE}/crm/`,
  CORS_ALLOWED_ORIGINS: LISTED,
};

/** Sends the preflight request as a browser does, then the call. */
async function ask(gate: GateName, origin: string, asked: string, variables = VARIABLES) {
  let [preflight, reply] = [new Headers(), new Headers()];
  await withEnvironment(variables, async () => {
    const app = functionApp("any", gate);
    app.all("*", (c) => c.text("answered"));
    const headers = {
      Origin: origin,
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": asked,
    };
    preflight = (await app.request("/any", { method: "OPTIONS", headers })).headers;
    reply = (await app.request("/any", { headers: { Origin: origin } })).headers;
  });
  return { preflight, reply };
}

/** The names in a comma-separated header, sorted. */
const namesIn = (headers: Headers, name: string) => headers.get(name)!.toLowerCase().split(",").sort();

for (
  const [gate, allowed] of [
    ["session", [CONSOLE]],
    ["link", [CONSOLE, LISTED]],
    ["key", [LISTED]],
    ["none", [LISTED]],
  ] as const
) {
  Deno.test(`Behind the gate "${gate}" only pages of ${allowed.join(" and ")} may call`, async () => {
    for (const origin of [CONSOLE, LISTED, "https://evil.example", `${CONSOLE}.evil.example`, "null"]) {
      const { preflight } = await ask(gate, origin, "content-type");
      const granted = (allowed as readonly string[]).includes(origin) ? origin : null;
      assert.equal(preflight.get("Access-Control-Allow-Origin"), granted, origin);
      // Credentials are not allowed, because sessions use no cookies: the page sends the token in a header.
      assert.equal(preflight.get("Access-Control-Allow-Credentials"), null);
      assert.equal(preflight.get("X-Content-Type-Options"), "nosniff");
    }
  });
}

Deno.test("The console may send the session, the workspace and the headers of Supabase's client; no page may send an API key to functions that take sessions", async () => {
  const { preflight } = await ask("session", CONSOLE, "authorization");
  assert.deepEqual(
    namesIn(preflight, "Access-Control-Allow-Headers"),
    ["apikey", "authorization", "content-type", "x-client-info", "x-workspace-id"],
  );
});

Deno.test("A page may send If-Match, If-None-Match and Prefer with a key, and read ETag and Preference-Applied", async () => {
  const { preflight, reply } = await ask("key", LISTED, "if-match");
  const allowed = namesIn(preflight, "Access-Control-Allow-Headers");
  for (const name of ["if-match", "if-none-match", "prefer"]) assert.ok(allowed.includes(name), name);
  const exposed = namesIn(reply, "Access-Control-Expose-Headers");
  for (const name of ["etag", "preference-applied"]) assert.ok(exposed.includes(name), name);
});

Deno.test("Without APP_ORIGIN no page may use a session", async () => {
  const { preflight } = await ask("session", LISTED, "", { ...VARIABLES, APP_ORIGIN: null });
  assert.equal(preflight.get("Access-Control-Allow-Origin"), null);
});
