import assert from "node:assert/strict";
import { readPolicy } from "../../supabase/functions/_shared/webhooks/target_policy.ts";
import { connect } from "../../supabase/functions/webhook-dispatcher/connect.ts";
import { sendAttempt } from "../../supabase/functions/webhook-dispatcher/send_attempt.ts";
import { createAuthority, issueCertificate } from "../../bench/harness/certificates.ts";
import { answers, body, certificate, deliverTo, exempting, trusted } from "../support/deliver_to.ts";
import { startHostile } from "../support/hostile.ts";
import { openMailbox } from "../support/mailbox.ts";

Deno.test("A 2xx answer is a success, and any other status is a failure that names the status (spec 6.5)", async () => {
  for (const status of [200, 201, 204, 299]) {
    assert.deepEqual(await deliverTo(answers(`HTTP/1.1 ${status} X\r\n\r\n`)), { ok: true, status });
  }
  for (const status of [300, 400, 404, 410, 429, 500, 503]) {
    const outcome = await deliverTo(answers(`HTTP/1.1 ${status} X\r\n\r\n`));
    assert.deepEqual(outcome, { ok: false, status, reason: `http_${status}` });
  }
});

Deno.test("The request has exactly the given bytes, headers, path and host", async () => {
  const mailbox = openMailbox("a=%20b");
  const policy = exempting(new URL(mailbox.url).host);
  const outcome = await sendAttempt(mailbox.url, { "X-Service-Event": "deal.won" }, body, { policy });
  assert.deepEqual(outcome, { ok: true, status: 200 });

  const [message] = await mailbox.waitFor(1);
  assert.deepEqual(message!.raw, body);
  assert.equal(message!.headers.get("X-Service-Event"), "deal.won");
  assert.equal(message!.headers.get("Content-Type"), "application/json");
  assert.equal(message!.headers.get("Host"), new URL(mailbox.url).host);
  assert.ok(mailbox.url.endsWith(message!.path));
});

Deno.test("A redirect is not followed and is a failure (spec 6.5)", async () => {
  const destination = openMailbox();
  const mailbox = openMailbox(`status=307&location=${encodeURIComponent(destination.url)}`);
  const policy = exempting(new URL(mailbox.url).host, new URL(destination.url).host);
  const outcome = await sendAttempt(mailbox.url, {}, body, { policy });
  assert.deepEqual(outcome, { ok: false, status: 307, reason: "http_307" });
  assert.equal((await destination.messages()).length, 0);
});

Deno.test("A certificate for another name, of an unknown authority, expired or not yet valid is refused", async () => {
  const [unknown, impostor] = [await createAuthority("Another authority"), await createAuthority()];
  const cases = [
    ["tls_name_mismatch", await issueCertificate(trusted, ["other.example.com"])],
    ["tls_unknown_authority", await issueCertificate(unknown, ["localhost"])],
    ["tls_unknown_authority", await issueCertificate(impostor, ["localhost"])],
    ["tls_certificate_expired", await issueCertificate(trusted, ["localhost"], { from: -3, until: -1 })],
    ["tls_certificate_not_yet_valid", await issueCertificate(trusted, ["localhost"], { from: 1, until: 3 })],
  ] as const;
  for (const [reason, certificate] of cases) {
    assert.deepEqual(await deliverTo(answers(""), certificate), { ok: false, reason });
  }
});

Deno.test("The connection goes to the address that was checked, and the certificate must be for the name", async () => {
  const named = await issueCertificate(trusted, ["hooks.example.com"]);
  await using receiver = startHostile(answers(""), named);
  const url = new URL(`https://hooks.example.com:${receiver.port}/`);
  const connection = await connect(url, ["127.0.0.1"], performance.now() + 10_000);
  assert.equal((connection.socket.remoteAddr as Deno.NetAddr).hostname, "127.0.0.1");
  connection.close();
});

Deno.test("If the first address refuses the connection, the next address is tried", async () => {
  await using receiver = startHostile(answers(""), certificate);
  const url = new URL(`https://localhost:${receiver.port}/`);
  // The receiver listens on 127.0.0.1 alone.
  (await connect(url, ["127.0.0.9", "127.0.0.1"], performance.now() + 10_000)).close();
});

Deno.test("A name with an address that is not public is refused before any connection", async () => {
  const refuses = async (addresses: string[], reason: string) => {
    const surroundings = { policy: readPolicy(""), resolve: () => Promise.resolve(addresses) };
    const outcome = await sendAttempt("https://hooks.example.com/", {}, body, surroundings);
    assert.deepEqual(outcome, { ok: false, reason }, addresses.join());
  };
  await refuses(["127.0.0.1"], "target_refused");
  await refuses(["93.184.216.34", "10.0.0.1"], "target_refused");
  await refuses(["93.184.216.34", "::ffff:169.254.169.254"], "target_refused");
  await refuses(["93.184.216.34", "4000::1"], "target_refused");
  await refuses([], "dns_not_found");
});

Deno.test("An attempt whose name cannot be resolved fails as dns_failed", async () => {
  const resolve = () => Promise.reject(new Error("SERVFAIL"));
  const outcome = await sendAttempt("https://x.example.com/", {}, body, { policy: readPolicy(""), resolve });
  assert.deepEqual(outcome, { ok: false, reason: "dns_failed" });
});

Deno.test("A target that is no longer allowed is refused at the attempt, before its name is resolved (spec 2.6)", async () => {
  const policy = readPolicy("", "https://project.supabase.co");
  const resolved: string[] = [];
  const resolve = (name: string) => Promise.resolve((resolved.push(name), ["93.184.216.34"]));
  const targets = `
    http://example.com/ https://127.0.0.1/ https://[::1]/ https://[4000::1]/ https://crm.default.svc/
    https://db.project.supabase.co:5432/`;
  for (const target of targets.trim().split(/\s+/)) {
    const outcome = await sendAttempt(target, {}, body, { policy, resolve });
    assert.deepEqual(outcome, { ok: false, reason: "target_refused" });
  }
  assert.deepEqual(resolved, []);
});

Deno.test("An attempt at a port without a listener fails as connection_refused", async () => {
  const receiver = startHostile(answers(""), null);
  await receiver[Symbol.asyncDispose]();
  const policy = exempting(`localhost:${receiver.port}`);
  const outcome = await sendAttempt(`http://localhost:${receiver.port}/`, {}, body, { policy });
  assert.deepEqual(outcome, { ok: false, reason: "connection_refused" });
});

Deno.test("Endless headers end the attempt at 16 KiB", async () => {
  const outcome = await deliverTo(async (connection) => {
    await connection.write("HTTP/1.1 200 OK\r\n");
    for (;;) await connection.write(`X-Filler: ${"x".repeat(1000)}\r\n`);
  });
  assert.deepEqual(outcome, { ok: false, reason: "response_headers_too_large" });
});

Deno.test("An answer that is not HTTP/1.1 fails the attempt at once, as invalid_http_response", async () => {
  const texts = ["SSH-2.0-OpenSSH_9", "HTTP/2 200\r\n", "HTTP/1.1 999 X\r\n", "HTTP/1.1 2000\r\n", "\r\n"];
  for (const text of texts.map((text) => `${text}\r\n`)) {
    assert.deepEqual(await deliverTo(answers(text)), { ok: false, reason: "invalid_http_response" }, text);
  }
});

Deno.test("If the receiver closes before it has answered, the attempt fails as connection_closed", async () => {
  for (const text of ["", "HTTP/1.1 200 OK\r\n"]) {
    const { ok, reason } = await deliverTo(answers(text), null);
    assert.equal(ok, false);
    assert.match(String(reason), /^connection_(closed|reset)$/);
  }
});
