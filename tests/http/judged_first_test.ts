// The key is checked before the body is read, so that strangers cannot make the service parse expensive bodies.
import assert from "node:assert/strict";
import { generateKey } from "../../supabase/functions/_shared/keys/generate_key.ts";
import { randomToken } from "../../supabase/functions/_shared/keys/random_token.ts";
import { ERRORS } from "../../supabase/functions/_shared/contract/errors.ts";
import { assertError, call } from "../support/client.ts";
import { makeKey } from "../support/fixtures.ts";
import { openRequest } from "../support/raw_request.ts";
import { test } from "../support/scenario.ts";

const CONTACTS = "/api-v1-contacts";
const LARGE = JSON.stringify({ name: "A", ignored: "b".repeat(100_000) });
/** Long enough for a busy machine, and less than the 15 s that a body may take. */
const SOON_MS = 6_000;

/** Announces a body, sends a piece of it, and returns the reply. */
async function announce(path: string, key: string | null, length: number | null, sent = "") {
  await using request = await openRequest("POST", path, {
    length,
    headers: key === null ? {} : { "X-API-Key": key },
  });
  if (sent) await request.send(sent);
  return await request.reply();
}

function assertCode({ status, body, ms }: Awaited<ReturnType<typeof announce>>, code: keyof typeof ERRORS) {
  assert.equal(body.error.code, code);
  assert.equal(status, ERRORS[code].status);
  assert.ok(ms < SOON_MS, `${Math.round(ms)} ms`);
}

test("a large body is not awaited when its key is unknown or revoked, or its workspace is suspended or without the API (spec 5)", async ({ sql, workspace: { id, key } }) => {
  assertCode(await announce(CONTACTS, generateKey(), 200_000), "invalid_api_key");
  // The length of a chunked body is not known before it arrives.
  assertCode(await announce(CONTACTS, generateKey(), null, "x".repeat(40_000)), "invalid_api_key");
  const revoked = await makeKey(sql, id);
  await sql`update crm.api_keys set revoked_at = now() where id = ${revoked.id}`;
  assertCode(await announce(CONTACTS, revoked.key, 200_000), "revoked_api_key");
  await sql`update crm.workspaces set suspended = true where id = ${id}`;
  assertCode(await announce(CONTACTS, key, 200_000), "workspace_suspended");
  await sql`update crm.workspaces set suspended = false, public_api = false where id = ${id}`;
  assertCode(await announce(CONTACTS, key, 200_000), "feature_disabled");
});

Deno.test("a large body is not awaited when the token of its link is unknown (spec 5)", async () => {
  assertCode(await announce(`/proposals/${randomToken()}/reject`, null, 200_000), "not_found");
});

Deno.test("a small body that takes over a second is not awaited when its key is unknown (spec 5)", async () => {
  assertCode(await announce(CONTACTS, generateKey(), 2_000, '{"name":'), "invalid_api_key");
});

test("a key that was admitted a moment ago and is revoked now gets 401 for a large body (spec 5)", async ({ sql, workspace: { key }, api }) => {
  assert.equal((await api.post(CONTACTS, LARGE)).status, 201);
  await sql`update crm.api_keys k set revoked_at = now() from crm.key_secrets s
    where s.key_id = k.id and s.hash = sha256(${key}::text::bytea)`;
  for (let i = 0; i < 2; i++) assertError(await api.post(CONTACTS, LARGE), "revoked_api_key");
  assertCode(await announce(CONTACTS, key, 200_000), "revoked_api_key");
});

test("the first large body of a key counts as one call of its rate limit (spec 8)", async ({ sql, workspace: { id } }) => {
  await sql`update crm.workspaces set rate_limit_per_minute = 2 where id = ${id}`;
  const { key } = await makeKey(sql, id);
  for (const remaining of [1, 0]) {
    const reply = await call("POST", CONTACTS, { key, body: LARGE });
    assert.equal(reply.status, 201);
    assert.match(reply.headers.get("RateLimit")!, new RegExp(`r=${remaining};`));
  }
  assertError(await call("POST", CONTACTS, { key, body: LARGE }), "rate_limited");
});

test("a call over the rate limit is refused without awaiting its large body, and is not counted (spec 8)", async ({ sql, workspace: { id, key }, api }) => {
  await sql`update crm.workspaces set rate_limit_per_minute = 1 where id = ${id}`;
  assert.equal((await api.post(CONTACTS, LARGE)).status, 201);
  // The isolate still trusts the key, so it reads this body.
  assertError(await api.post(CONTACTS, LARGE), "rate_limited");
  const reply = await announce(CONTACTS, key, 200_000);
  assertCode(reply, "rate_limited");
  assert.match(reply.head, /\r\nretry-after: ([1-9]|[1-5][0-9]|60)\r\n/i);
  assert.match(reply.head, /\r\nratelimit: "default";r=0;t=\d+\r\n/i);
  const [row] = await sql`select cardinality(hits) as calls from crm.rate_limits r
    join crm.api_keys k on k.id = r.key_id where k.workspace_id = ${id}`;
  assert.equal(row!["calls"], 1);
});

test("a large chunked body is read in full once its key is identified", async ({ workspace: { key }, api }) => {
  await using request = await openRequest("POST", CONTACTS, { length: null, headers: { "X-API-Key": key } });
  const body = LARGE.replace("}", ',"job_title":"CEO"}');
  for (const piece of body.match(/.{1,9000}/g)!) await request.send(piece);
  await request.send("");
  const reply = await request.reply();
  assert.equal(reply.status, 201);
  assert.equal((await api.get(`${CONTACTS}/${reply.body.id}`)).body.job_title, "CEO");
});

test("a body that takes over 15 seconds is 408 request_timeout, and creates nothing (spec 7, 8)", async ({ sql, workspace: { id, key }, api }) => {
  await api.get(CONTACTS);
  const body = JSON.stringify({ name: "A", notes: "b".repeat(100) });
  await using request = await openRequest("POST", CONTACTS, {
    length: body.length,
    headers: { "X-API-Key": key },
  });
  let open = true;
  const sending = (async () => {
    for (const character of body) {
      if (!open) return;
      // The server may close the connection during this wait.
      await request.send(character).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  })();
  const reply = await request.reply();
  open = false;
  await sending;
  assert.equal(reply.body.error.code, "request_timeout");
  assert.equal(reply.status, 408);
  assert.ok(reply.ms >= 15_000 && reply.ms < 15_000 + SOON_MS, `${Math.round(reply.ms)} ms`);
  const [made] = await sql`select count(*)::int as n from crm.contacts where workspace_id = ${id}`;
  assert.equal(made!["n"], 0);
});
