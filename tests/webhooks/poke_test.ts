import assert from "node:assert/strict";
import { loadSecrets } from "../../local/secrets.ts";
import { baseUrl, dataDir } from "../support/stack.ts";

const { webhook_dispatcher_secret: secret } = await loadSecrets(dataDir);

async function poke(method: string, authorization?: string) {
  const response = await fetch(`${baseUrl}/webhook-dispatcher`, {
    method,
    headers: authorization === undefined ? {} : { Authorization: authorization },
  });
  return { status: response.status, body: await response.json() };
}

Deno.test("The dispatcher answers 202 at once to a poke with the shared secret", async () => {
  const started = performance.now();
  const { status } = await poke("POST", `Bearer ${secret}`);
  assert.equal(status, 202);
  assert.ok(performance.now() - started < 500);
});

Deno.test("The dispatcher answers 401 without the shared secret", async () => {
  for (
    const authorization of [
      undefined,
      "",
      "Bearer",
      "Bearer ",
      `Bearer ${secret}x`,
      `bearer ${secret}`,
      secret,
    ]
  ) {
    const { status, body } = await poke("POST", authorization);
    assert.equal(status, 401);
    assert.equal(body.error.code, "invalid_api_key");
  }
});

Deno.test("The dispatcher accepts only POST", async () => {
  for (const method of ["GET", "PUT", "DELETE"]) {
    const { status, body } = await poke(method, `Bearer ${secret}`);
    assert.equal(status, 405);
    assert.equal(body.error.code, "method_not_allowed");
  }
});
