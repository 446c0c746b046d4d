import assert from "node:assert/strict";
import { loadSecrets } from "../../run/local/secrets.ts";
import { handlePoke } from "../../supabase/functions/webhook-dispatcher/handler.ts";
import { withEnvironment } from "../support/environment.ts";
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
  // If the answer waited for the run, it would take 40 s even without deliveries.
  assert.ok(performance.now() - started < 10_000);
});

Deno.test("The dispatcher answers 401 without the shared secret", async () => {
  const wrong = [undefined, "", "Bearer", "Bearer ", `Bearer ${secret}x`, `bearer ${secret}`, secret];
  for (const authorization of wrong) {
    const { status, body } = await poke("POST", authorization);
    assert.deepEqual([status, body.error.code], [401, "invalid_api_key"]);
  }
});

Deno.test("The dispatcher accepts only POST", async () => {
  for (const method of ["GET", "PUT", "DELETE"]) {
    const { status, body } = await poke(method, `Bearer ${secret}`);
    assert.deepEqual([status, body.error.code], [405, "method_not_allowed"]);
  }
});

Deno.test("Each poke gives the runtime its own promise, even a poke that joins a run in progress", async () => {
  const given: Promise<unknown>[] = [];
  const runtime = globalThis as { EdgeRuntime?: { waitUntil(work: Promise<unknown>): void } };
  runtime.EdgeRuntime = { waitUntil: (work) => void given.push(work) };
  const variables = {
    WEBHOOK_DISPATCHER_SECRET: "secret",
    DATABASE_URL: "postgres://postgres@127.0.0.1:1/none",
  };
  await withEnvironment(variables, async () => {
    const headers = { Authorization: "Bearer secret" };
    const request = () => new Request("http://127.0.0.1/webhook-dispatcher", { method: "POST", headers });
    // Pokes three times without a pause, so that the second and the third poke join the run of the first.
    for (let pokes = 0; pokes < 3; pokes++) assert.equal(handlePoke(request()).status, 202);
    assert.equal(new Set(given).size, 3);
    await Promise.all(given);
  }).finally(() => delete runtime.EdgeRuntime);
});
