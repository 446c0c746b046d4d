// Which connections are kept for another request (docs/decisions/0007-sending-webhooks.md), over real sockets.
import assert from "node:assert/strict";
import { issueCertificate, type ServerCertificate } from "../../bench/harness/certificates.ts";
import { eventually, pause } from "../../bench/harness/waiting.ts";
import { Connection } from "../../supabase/functions/webhook-dispatcher/connection.ts";
import { KeptConnections } from "../../supabase/functions/webhook-dispatcher/kept_connections.ts";
import { sendAttempt } from "../../supabase/functions/webhook-dispatcher/send_attempt.ts";
import { body, certificate, exempting, trusted } from "../support/deliver_to.ts";
import { type Behaviour, type HostileConnection, startHostile } from "../support/hostile.ts";

const NO_CONTENT = "HTTP/1.1 204 No Content\r\n\r\n";

/** Handles the n-th connection of a receiver, from 0. */
type Nth = (connection: HostileConnection, n: number) => Promise<void>;

const alwaysAnswers = (text: string): Behaviour => async (connection) => {
  while (await connection.readRequest() !== "") await connection.write(text);
};

/** Starts a receiver that counts its connections; `attempt` delivers to it, over kept connections if possible. */
function open(behaviour: Nth, tls: ServerCertificate | null = certificate) {
  let connections = 0;
  const receiver = startHostile((connection) => behaviour(connection, connections++), tls);
  const kept = new KeptConnections();
  const policy = exempting(`localhost:${receiver.port}`);
  const origin = `${tls === null ? "http" : "https"}://localhost:${receiver.port}`;
  return {
    kept,
    origin,
    connections: () => connections,
    attempt: (headers: Record<string, string> = {}, bytes = body) =>
      sendAttempt(`${origin}/`, headers, bytes, { policy, kept }),
    async [Symbol.asyncDispose]() {
      kept.closeAll();
      await receiver[Symbol.asyncDispose]();
    },
  };
}

for (const [scheme, tls] of [["https", certificate], ["http", null]] as const) {
  Deno.test(`Answers without a body keep the connection for the next request, over ${scheme}`, async () => {
    const answers = [
      NO_CONTENT,
      "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 200 OK\r\ncontent-length:0\r\nConnection: keep-alive\r\n\r\n",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 202 X\r\nContent-Length: 0\r\n\r\n",
    ];
    for (const answer of answers) {
      await using receiver = open(alwaysAnswers(answer), tls);
      for (let time = 0; time < 5; time++) assert.equal((await receiver.attempt()).ok, true);
      assert.equal(receiver.connections(), 1, answer);
    }
  });
}

Deno.test("A connection is closed after an answer that has a body, may have a body, or announces the end", async () => {
  const heads = [
    ...[
      "",
      "Content-Length: 2\r\n",
      "Content-Length: 0\r\nContent-Length: 0\r\n",
      "Content-Length: 0, 0\r\n",
    ],
    ...[
      "Content-Length: +0\r\n",
      "Content-Length : 0\r\n",
      "X: y\nContent-Length: 2\r\nContent-Length: 0\r\n",
    ],
    "X: y\r\n Content-Length: 0\r\nContent-Length: 0\r\n",
    "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n",
  ].map((headers) => `200 OK\r\n${headers}`).concat(
    ["Content-Length: 5", "Transfer-Encoding: chunked", "Connection: close", "Connection: keep-alive, Close"]
      .map((header) => `204 No Content\r\n${header}\r\n`),
    ["205 Reset Content\r\n", "304 Not Modified\r\n", "500 X\r\nContent-Length: 0\r\n"],
  );
  const answers = heads.map((head) => `HTTP/1.1 ${head}\r\n`).concat(
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "HTTP/1.0 204 No Content\r\nConnection: keep-alive\r\n\r\n",
    // If a connection with two answers to one request were kept, the second would count for the next delivery.
    NO_CONTENT + NO_CONTENT,
  );
  // All at the same time, because an attempt waits half a second for a body that does not come.
  await Promise.all(answers.map(async (answer) => {
    await using receiver = open(alwaysAnswers(answer), null);
    const first = await receiver.attempt();
    assert.equal(receiver.kept.size, 0, answer);
    assert.deepEqual(await receiver.attempt(), first);
    assert.equal(receiver.connections(), 2, answer);
  }));
});

Deno.test("A connection is closed after an answer that came before the whole request was sent", async () => {
  await using receiver = open(async (connection) => {
    await connection.write(NO_CONTENT);
    await connection.silence();
  }, null);
  // A body larger than the buffers of both sockets.
  const outcome = await receiver.attempt({}, new Uint8Array(32 * 1024 * 1024));
  assert.deepEqual(outcome, { ok: true, status: 204 });
  assert.equal(receiver.kept.size, 0);
});

Deno.test("Unrequested bytes close an idle connection, and do not count as the next request's answer", async () => {
  const idle = Promise.withResolvers<void>();
  await using receiver = open(async (connection, n) => {
    await connection.readRequest();
    await connection.write(NO_CONTENT);
    if (n > 0) return;
    await idle.promise;
    await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    await connection.silence();
  });
  await receiver.attempt();
  assert.equal(receiver.kept.size, 1);
  idle.resolve();
  await eventually(() => receiver.kept.size === 0, "the connection to be closed");
  assert.deepEqual(await receiver.attempt(), { ok: true, status: 204 });
  assert.equal(receiver.connections(), 2);
});

Deno.test("A kept connection that ends without an answer is replaced once, in the same attempt", async () => {
  const ids: string[] = [];
  await using receiver = open(async (connection, n) => {
    for (let request = 0;; request++) {
      const text = await connection.readRequest();
      if (text === "") return;
      ids.push(/^X-Service-Delivery-Id: (.*)$/m.exec(text)![1]!);
      // The first two connections end at their second request, all others at their first.
      if (n > 1 || request > 0) return;
      await connection.write(NO_CONTENT);
    }
  });
  const attempt = async (id: string) => {
    ids.length = 0;
    const { ok } = await receiver.attempt({ "X-Service-Delivery-Id": id });
    return { ok, requests: ids.join(" "), connections: receiver.connections() };
  };
  assert.deepEqual(await attempt("a"), { ok: true, requests: "a", connections: 1 });
  assert.deepEqual(await attempt("b"), { ok: true, requests: "b b", connections: 2 });
  assert.deepEqual(await attempt("c"), { ok: false, requests: "c c", connections: 3 });
  assert.deepEqual(await attempt("d"), { ok: false, requests: "d", connections: 4 });
});

Deno.test("A kept connection that ends within the answer is a failure: the request is not sent again", async () => {
  await using receiver = open(async (connection) => {
    await connection.readRequest();
    await connection.write(NO_CONTENT);
    await connection.readRequest();
    await connection.write("H");
  }, null);
  await receiver.attempt();
  const { ok, reason } = await receiver.attempt();
  assert.equal(ok, false);
  assert.match(String(reason), /^connection_(closed|reset)$/);
  assert.equal(receiver.connections(), 1);
});

/** Makes every connect go to `port` on loopback, because a test must not reach the internet. */
function redirectConnects(port: number) {
  const deno = Deno as { connect: unknown };
  const original = Deno.connect;
  const addresses: string[] = [];
  deno.connect = ({ hostname }: Deno.ConnectOptions) => {
    addresses.push(hostname!);
    return original({ hostname: "127.0.0.1", port });
  };
  return { addresses, [Symbol.dispose]: () => void (deno.connect = original) };
}

Deno.test("Every attempt resolves the name, and uses a kept connection only to an address that it has checked", async () => {
  const named = await issueCertificate(trusted, ["hooks.example.com"]);
  await using receiver = startHostile(alwaysAnswers(NO_CONTENT), named);
  using connects = redirectConnects(receiver.port);
  const kept = new KeptConnections();
  const policy = exempting();
  const attempt = async (...addresses: string[]) => {
    // An attempt resolves the name once: a second answer, which nobody checks, could be an internal address.
    const answers = [addresses, ["169.254.169.254"]];
    const resolve = () => Promise.resolve(answers.shift()!);
    const url = `https://hooks.example.com:${receiver.port}/`;
    return (await sendAttempt(url, {}, body, { policy, resolve, kept })).reason ?? "ok";
  };
  const [A, B] = ["93.184.216.34", "93.184.216.35"];
  assert.equal(await attempt(A), "ok");
  assert.equal(await attempt(B, A), "ok");
  assert.deepEqual(connects.addresses, [A], "the address is still one of the name's");
  assert.equal(await attempt(B), "ok");
  assert.deepEqual(connects.addresses, [A, B], "the name has moved");
  assert.equal(await attempt(A, "10.0.0.1"), "target_refused");
  assert.equal(await attempt("169.254.169.254"), "target_refused");
  assert.equal(await attempt(), "dns_not_found");
  assert.deepEqual(connects.addresses, [A, B]);
  kept.closeAll();
});

Deno.test("A kept connection serves only its own host name and port: for another name the certificate is verified", async () => {
  const named = await issueCertificate(trusted, ["hooks.example.com"]);
  await using receiver = startHostile(alwaysAnswers(NO_CONTENT), named);
  using connects = redirectConnects(receiver.port);
  const kept = new KeptConnections();
  const policy = exempting();
  const resolve = () => Promise.resolve(["93.184.216.34"]);
  const attempt = async (host: string) =>
    (await sendAttempt(`https://${host}/`, {}, body, { policy, resolve, kept })).reason ?? "ok";
  assert.equal(await attempt("hooks.example.com:8443"), "ok");
  assert.equal(await attempt("other.example.com:8443"), "tls_name_mismatch");
  assert.equal(connects.addresses.length, 2);
  assert.equal(await attempt("hooks.example.com:8444"), "ok");
  assert.equal(connects.addresses.length, 3);
  assert.equal(await attempt("hooks.example.com:8443"), "ok");
  assert.equal(connects.addresses.length, 3);
  kept.closeAll();
});

Deno.test("An idle connection is closed after 2 s, or at once if it was opened 30 s ago", async () => {
  await using receiver = open(alwaysAnswers(NO_CONTENT));
  await receiver.attempt();
  await pause(1_200);
  assert.equal((await receiver.attempt(), receiver.kept.size), 1);
  await pause(1_200);
  assert.equal(receiver.kept.size, 1, "2 s since its last request");
  await pause(1_200);
  assert.equal(receiver.kept.size, 0);
  assert.equal(receiver.connections(), 1);

  await receiver.attempt();
  // A connection is kept only for a limited time, so that a receiver's new certificate is verified within it.
  const connection = receiver.kept.take(receiver.origin, ["localhost"])!;
  receiver.kept.keep(receiver.origin, Object.assign(connection, { openedAt: performance.now() - 31_000 }));
  assert.equal(receiver.kept.size, 0);
});

Deno.test("At most 64 connections of an origin are kept, and 128 in all; beyond that the longest idle one is closed", async () => {
  await using receiver = startHostile((connection) => connection.silence(), null);
  const kept = new KeptConnections();
  const address = { hostname: "127.0.0.1", port: receiver.port };
  const connect = async () => new Connection(await Deno.connect(address), address.hostname);
  const connections = await Promise.all(Array.from({ length: 65 + 64 + 1 }, connect));
  connections.slice(0, 65).forEach((connection) => kept.keep("https://a.example.com", connection));
  assert.equal(kept.size, 64);
  connections.slice(65, 129).forEach((connection) => kept.keep("https://b.example.com", connection));
  assert.equal(kept.size, 128);
  kept.keep("https://c.example.com", connections.at(-1)!);
  assert.equal(kept.size, 128);
  assert.equal(kept.take("https://c.example.com", ["127.0.0.1"]), connections.at(-1));
  const left = Array.from({ length: 64 }, () => kept.take("https://a.example.com", ["127.0.0.1"]));
  assert.equal(left.indexOf(undefined), 63, "the first of a was closed");
  assert.equal(left[0], connections[63], "the last one that became idle is used first");
  for (const connection of [...left, connections.at(-1)]) connection?.close();
  kept.closeAll();
});
