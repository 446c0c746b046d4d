// Backoff: how often the functions try to connect to a database that refuses connections.
import assert from "node:assert/strict";
import { startProxy } from "../../bench/harness/proxy.ts";
import { pause } from "../../bench/harness/waiting.ts";
import { generateKey } from "../../supabase/functions/_shared/keys/generate_key.ts";
import { table as pipelines } from "../../supabase/functions/api-v1-pipelines/table.ts";
import { serveResource } from "../../supabase/functions/_shared/http/serve.ts";
import { query } from "../../supabase/functions/_shared/postgres/database.ts";
import { withEnvironment } from "../support/environment.ts";
import { databaseUrl } from "../support/stack.ts";

const ONE = { name: "one", text: "select 1 as one" };
const UNAVAILABLE = { code: "service_unavailable" };

/** A proxy to the stack's Postgres that counts connections and can close them or stay silent. */
function startFront() {
  const front = { state: "open" as "open" | "closing" | "silent", connections: 0, times: [] as number[] };
  const forward = async (from: Deno.TcpConn, to: Deno.TcpConn) => {
    if (front.state === "open") await from.readable.pipeTo(to.writable);
    if (front.state === "silent") await new Promise(() => {});
  };
  const proxy = startProxy(databaseUrl, async (from, to) => {
    front.connections++;
    front.times.push(performance.now());
    await forward(from, to);
    if (front.state === "closing") [from, to].forEach((socket) => socket.close());
  }, forward);
  return Object.assign(front, { url: proxy.url, [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose]() });
}

/** Makes 20 calls at a time until `isOver`. */
async function callUntil(isOver: () => boolean, call: () => Promise<void>): Promise<void> {
  while (!isOver()) {
    await Promise.all(Array.from({ length: 20 }, call));
    await pause(10);
  }
}

Deno.test("With a wrong password, calls get 503 at once, and the functions connect again only after 0.5 s, 1 s, 2 s …", async () => {
  await using front = startFront();
  const url = new URL(front.url);
  url.password = "wrong";
  const key = generateKey();
  const replies = new Set<string>();
  let answeredWithoutTry = 0;
  const lines = await withEnvironment({ DATABASE_URL: url.href }, async () => {
    const end = performance.now() + 20_000;
    // Ends once a reply says to wait 2 s, which is after the third attempt to connect.
    const isOver = () => replies.has("503 2 service_unavailable") || performance.now() > end;
    await callUntil(isOver, async () => {
      const request = new Request("http://localhost/api-v1-pipelines", { headers: { "X-API-Key": key } });
      const tries = front.connections;
      const reply = await serveResource(pipelines)(request);
      if (front.connections === tries) answeredWithoutTry++;
      const seen = `${reply.status} ${reply.headers.get("Retry-After")} ${(await reply.json()).error.code}`;
      replies.add(seen);
    });
  });
  const failures = lines.filter(({ event }) => event === "database_connect_failed");
  const [first, second, third] = front.times as [number, number, number];
  assert.ok(second - first > 450 && third - second > 950, front.times.join());
  assert.deepEqual(
    failures.map(({ reason, retry_ms }) => [reason, retry_ms]),
    [["rejected", 500]],
    "one line in 10 s",
  );
  assert.match(failures[0]!["error"] as string, /password authentication failed/);
  assert.deepEqual(
    [...replies].sort(),
    ["503 1 service_unavailable", "503 2 service_unavailable"],
  );
  // These calls did not wait: a call that waited for the next try would have seen a new connection.
  assert.ok(answeredWithoutTry >= 20, `${answeredWithoutTry} calls`);
});

Deno.test("While connections are refused, the functions try at most every 0.25 s to connect; a success resets the backoff", async () => {
  await using front = startFront();
  await withEnvironment({ DATABASE_URL: front.url }, async () => {
    front.state = "closing";
    const started = performance.now();
    await callUntil(() => performance.now() - started > 1_500, () => assert.rejects(query(ONE), UNAVAILABLE));
    // Connections may be tried at 0, 0.05, 0.15 and 0.35 s, then every 0.25 s.
    const most = 3 + (performance.now() - started) / 250;
    assert.ok(front.connections >= 4 && front.connections <= most, `${front.connections} connections`);

    front.state = "open";
    const opened = performance.now();
    while (!await query(ONE).then(() => true, () => false)) await pause(5);
    // With exponential backoff the pauses would be seconds long by now.
    assert.ok(performance.now() - opened < 2_000, `${performance.now() - opened} ms`);
    await Promise.all(Array.from({ length: 20 }, () => query(ONE)));
  });
});

Deno.test("Concurrent calls share the first try to connect", async () => {
  await using front = startFront();
  await withEnvironment({ DATABASE_URL: front.url }, async () => {
    await Promise.all(Array.from({ length: 20 }, () => query(ONE)));
  });
  const needed = front.connections;
  const url = new URL(front.url);
  url.password = "wrong";
  await withEnvironment({ DATABASE_URL: url.href }, async () => {
    await Promise.all(Array.from({ length: 20 }, () => assert.rejects(query(ONE), UNAVAILABLE)));
  });
  assert.equal(front.connections, needed + 1);
});

Deno.test("While a connection attempt hangs, other calls get 503 after 1 s and try no connection", async () => {
  await using front = startFront();
  await withEnvironment({ DATABASE_URL: front.url }, async () => {
    front.state = "closing";
    await assert.rejects(query(ONE), UNAVAILABLE);
    await pause(150);
    front.state = "silent";
    const probe = assert.rejects(query(ONE), UNAVAILABLE);
    const started = performance.now();
    await Promise.all(Array.from({ length: 20 }, () => assert.rejects(query(ONE), UNAVAILABLE)));
    // The hanging attempt itself ends only after 5 s.
    assert.ok(performance.now() - started < 3_500, `${performance.now() - started} ms`);
    assert.equal(front.connections, 2);
    await probe;
  });
});

Deno.test("A failed statement or a terminated connection does not delay other statements", async () => {
  await withEnvironment({ DATABASE_URL: databaseUrl }, async () => {
    await query(ONE);
    for (let i = 0; i < 5; i++) {
      await assert.rejects(query({ name: "wrong", text: "select 1 / 0" }), { code: "22012" });
      await assert.rejects(
        query({ name: "end", text: "select pg_terminate_backend(pg_backend_pid())" }),
        UNAVAILABLE,
      );
      assert.deepEqual(await query(ONE), [{ one: 1 }]);
    }
  });
});
