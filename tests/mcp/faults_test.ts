// What a client learns about an internal error: an id to quote, and no internals.
import assert from "node:assert/strict";
import { generateKey } from "../../supabase/functions/_shared/keys/generate_key.ts";
import { serveMcp } from "../../supabase/functions/mcp/handler.ts";
import { RESOURCES } from "../../supabase/functions/mcp/resources.ts";
import { withEnvironment } from "../support/environment.ts";
import { request } from "../support/mcp.ts";

Deno.test("A resource that cannot be loaded is -32603 with a request id, and is loaded again at the next call", async () => {
  const loaders = RESOURCES as Record<string, typeof RESOURCES[string]>;
  const load = loaders["api-v1-me"]!;
  let loads = 0;
  loaders["api-v1-me"] = () => {
    loads++;
    return Promise.reject(new Error("secret path"));
  };
  await withEnvironment({}, async (lines) => {
    const handler = serveMcp();
    for (let call = 1; call <= 2; call++) {
      const response = await handler(
        new Request("http://127.0.0.1/mcp", {
          method: "POST",
          headers: { "X-API-Key": generateKey() },
          body: JSON.stringify(request("tools/list")),
        }),
      );
      const text = await response.text();
      const { error } = JSON.parse(text);
      assert.deepEqual({ status: response.status, code: error.code }, { status: 500, code: -32603 });
      assert.doesNotMatch(text, /secret/);
      assert.equal(error.data.request_id, response.headers.get("X-Request-Id"));
      const line = JSON.stringify(lines.find(({ request_id }) => request_id === error.data.request_id));
      assert.match(line, /secret path/);
      assert.equal(loads, call);
    }
  }).finally(() => loaders["api-v1-me"] = load);
});
