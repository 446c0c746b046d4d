// Apps that act for a person: app-v1-apps, and calls of the API with an app's token from Supabase Auth.
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { openAccessTokens } from "../../run/local/auth/access_tokens.ts";
import { generateSigningKey } from "../../run/local/auth/signing_key.ts";
import { findUserBySession } from "../../run/local/auth/users.ts";
import { operate } from "../../run/operator/operator.ts";
import type { ErrorCode } from "../../supabase/functions/_shared/contract/errors.ts";
import { SCOPES } from "../../supabase/functions/_shared/contract/scopes.ts";
import { grant, issueToken, makeApp } from "../support/apps.ts";
import { assertError, call, memberClient, type Reply } from "../support/client.ts";
import { makeKey, makeWorkspace } from "../support/fixtures.ts";
import { UNKNOWN_ID } from "../support/record_fixtures.ts";
import { test } from "../support/scenario.ts";
import { makeMember, signIn } from "../support/sessions.ts";
import { baseUrl } from "../support/stack.ts";
import { actAsMember } from "../support/transactions.ts";

const APPS = "/app-v1-apps";
const CONTACTS = "/api-v1-contacts";
const METADATA = `${baseUrl}/api-v1/.well-known/oauth-protected-resource`;

/** Calls the API with an app's token. */
const callAs = (token: string, method = "GET", path = CONTACTS, body?: unknown, headers = {}) =>
  call(method, path, { session: token, body, headers });

/** Subscribes to an event with an app's token. */
const subscribeAs = (token: string) =>
  callAs(token, "POST", "/api-v1-webhooks", {
    target_url: "https://example.com/hook",
    event_types: ["deal.won"],
  });

/** The state of a subscription. */
async function stateOf(sql: Sql, id: string) {
  const [row] =
    await sql`select is_active, deactivated_reason from crm.webhook_subscriptions where id = ${id}`;
  return { ...row };
}

/** The body that grants scopes to an app. */
const newGrant = (scopes: readonly string[], client_id: string = crypto.randomUUID()) => ({
  client_id,
  client_name: "Claude",
  scopes,
});

/** Asserts that the API refuses the token, and that a 401 tells the app where to get another token. */
async function assertRefused(token: string, code: ErrorCode) {
  for (const reply of [await callAs(token), await callAs(token, "POST", CONTACTS, "no json")]) {
    assertError(reply, code);
    const challenge = reply.status === 401
      ? `Bearer error="invalid_token", resource_metadata="${METADATA}"`
      : null;
    assert.equal(reply.headers.get("WWW-Authenticate"), challenge);
  }
}

test("An app reads and writes with its scopes on behalf of the person, and the change log names the app (spec 5)", async ({ sql, workspace }) => {
  const scopes = ["contacts:read", "contacts:write"] as const;
  const { token, grant: { id }, member } = await makeApp(sql, workspace.id, "vendedor", scopes);
  const created = await callAs(token, "POST", CONTACTS, { name: "Ana" });
  assert.equal(created.status, 201, created.text);
  const { body: contact } = await callAs(token, "GET", `${CONTACTS}/${created.body.id}`);
  assert.equal(contact.owner_id, member.memberId);
  const refused = await callAs(token, "GET", "/api-v1-deals");
  assertError(refused, "insufficient_scope");
  assert.equal(refused.body.error.message, 'O aplicativo não tem o escopo "deals:read"');
  const { body: { data: [change] } } = await call("GET", `/api-v1-changes?object_id=${created.body.id}`, {
    key: workspace.key,
  });
  assert.deepEqual(change.actor, { type: "key", id, name: "Claude" });
  const { body: me } = await callAs(token, "GET", "/api-v1-me");
  assert.deepEqual([me.key.id, me.key.scopes, me.member.id], [id, scopes, member.memberId]);
});

test("An app has its own rate limit, and its Idempotency-Key is honoured (spec 4.0.1, 8)", async ({ sql }) => {
  const { id } = await makeWorkspace(sql, { rateLimit: 3 });
  const first = await makeApp(sql, id, "vendedor", ["contacts:write"]);
  const second = await makeApp(sql, id, "vendedor", ["contacts:read"]);
  const create = () => callAs(first.token, "POST", CONTACTS, { name: "Ana" }, { "Idempotency-Key": "a" });
  const created = await create();
  const replayed = await create();
  assert.deepEqual([created.status, replayed.status, replayed.text], [201, 200, created.text]);
  assert.equal(replayed.headers.get("Idempotent-Replayed"), "true");
  assert.match(replayed.headers.get("RateLimit")!, /^"default";r=1;/);
  await create();
  assertError(await create(), "rate_limited");
  assert.equal((await callAs(second.token)).status, 200);
});

test("A token without a grant, or whose grant or session has ended, is 401 with WWW-Authenticate (spec 5)", async ({ sql, workspace: { id } }) => {
  const { member, clientId, token, sessionId, grant: given } = await makeApp(sql, id, "vendedor", [
    "contacts:read",
  ]);
  assert.equal((await callAs(token)).status, 200);
  const other = await issueToken(sql, member.userId, crypto.randomUUID());
  await assertRefused(other.token, "invalid_api_key");
  const colleague = await signIn(sql, id, "vendedor");
  await assertRefused((await issueToken(sql, colleague.userId, clientId)).token, "invalid_api_key");

  await sql`delete from auth.sessions where id = ${sessionId}`;
  await assertRefused(token, "invalid_api_key");
  const renewed = (await issueToken(sql, member.userId, clientId)).token;
  assert.equal((await callAs(renewed)).status, 200);

  await member.client.post(`${APPS}/${given.id}/revoke`);
  await assertRefused(renewed, "revoked_api_key");
});

test("The API answers 401 to a token of another issuer, an expired token and the person's own token, and app-v1-* answers 401 to an app's token", async ({ sql, workspace: { id } }) => {
  const { member, clientId, token, sessionId } = await makeApp(sql, id, "admin", ["contacts:read"]);
  const user = await findUserBySession(sql, member.userId, sessionId);
  const foreign = await openAccessTokens(generateSigningKey(), new URL("/auth/v1", baseUrl).href);
  const now = Math.floor(Date.now() / 1000);
  await assertRefused(await foreign.sign(user!, sessionId, now, clientId), "invalid_api_key");
  const expired = await issueToken(sql, member.userId, clientId, now - 7200);
  await assertRefused(expired.token, "invalid_api_key");
  await assertRefused(member.session, "invalid_api_key");
  for (const path of [APPS, "/app-v1-keys", "/app-v1-workspace/choices"]) {
    assertError(await callAs(token, "GET", path), "invalid_session");
  }
});

test("Without a token WWW-Authenticate only says where the metadata is, and X-API-Key takes precedence over a token", async ({ sql, workspace: { id, key } }) => {
  const none = await call("GET", CONTACTS);
  assertError(none, "missing_api_key");
  assert.equal(none.headers.get("WWW-Authenticate"), `Bearer resource_metadata="${METADATA}"`);
  const { token } = await makeApp(sql, id, "vendedor", ["deals:read"]);
  assert.equal((await call("GET", CONTACTS, { key, session: token })).status, 200);
  const wrong = await call("GET", CONTACTS, { key: "svc_x", session: token });
  assertError(wrong, "invalid_api_key");
  assert.equal(wrong.headers.get("WWW-Authenticate"), `Bearer resource_metadata="${METADATA}"`);
});

test("A member who is deactivated loses their apps and the apps' webhooks for good, and an app of another member stays", async ({ sql, workspace: { id } }) => {
  const { member, token } = await makeApp(sql, id, "gestor", ["contacts:read", "webhooks:manage"]);
  const other = await makeApp(sql, id, "gestor", ["contacts:read"]);
  const webhook = await subscribeAs(token);
  assert.equal(webhook.status, 201, webhook.text);
  await operate(sql, "member_update", { workspace_id: id, id: member.memberId, is_active: false });
  await assertRefused(token, "revoked_api_key");
  const ended = { is_active: false, deactivated_reason: "key_revoked" };
  assert.deepEqual(await stateOf(sql, webhook.body.id), ended);
  await operate(sql, "member_update", { workspace_id: id, id: member.memberId, is_active: true });
  await assertRefused(token, "revoked_api_key");
  assert.equal((await callAs(other.token)).status, 200);
});

test("The door itself refuses a grant that is not revoked, if its member is inactive or belongs to another person", async ({ sql, workspace: { id } }) => {
  const { member, token, grant: { id: grantId } } = await makeApp(sql, id, "vendedor", ["contacts:read"]);
  const undoRevocation = () => sql`update crm.api_keys set revoked_at = null where id = ${grantId}`;
  await sql`update crm.members set is_active = false where id = ${member.memberId}`;
  await undoRevocation();
  await assertRefused(token, "revoked_api_key");
  await sql`update crm.members set is_active = true where id = ${member.memberId}`;
  assert.equal((await callAs(token)).status, 200);
  await sql`update crm.members set user_id = ${UNKNOWN_ID} where id = ${member.memberId}`;
  await undoRevocation();
  await assertRefused(token, "revoked_api_key");
});

test("When a member gets a lower role, their apps lose at the next call the scopes that this role does not allow, and the apps' webhooks end", async ({ sql, workspace: { id } }) => {
  const { member, token, grant: given } = await makeApp(sql, id, "admin", [
    "contacts:read",
    "webhooks:manage",
  ]);
  const webhook = await subscribeAs(token);
  await operate(sql, "member_update", { workspace_id: id, id: member.memberId, role: "gestor" });
  assert.equal((await callAs(token, "GET", "/api-v1-webhooks")).body.data[0].is_active, true);
  await operate(sql, "member_update", { workspace_id: id, id: member.memberId, role: "vendedor" });
  assertError(await callAs(token, "GET", "/api-v1-webhooks"), "insufficient_scope");
  assert.deepEqual((await callAs(token, "GET", "/api-v1-me")).body.key.scopes, ["contacts:read"]);
  assert.equal((await stateOf(sql, webhook.body.id))["is_active"], false);
  assert.equal((await callAs(token)).status, 200);
  const { body } = await member.client.get(APPS);
  assert.deepEqual(body.data.map(({ id, scopes }: typeof given) => ({ id, scopes })), [
    { id: given.id, scopes: ["contacts:read"] },
  ]);
});

test("An app is refused if it loses webhooks:manage while it creates a webhook, and so is a member who is deactivated while granting", async ({ sql, workspace: { id } }) => {
  const { memberId: admin } = await signIn(sql, id, "admin");
  const { member, token } = await makeApp(sql, id, "gestor", ["webhooks:manage"]);
  const granting = await signIn(sql, id, "gestor");
  await granting.client.get(APPS);
  let waiting: Promise<Reply>[] = [];
  await sql.begin(async (sql) => {
    await actAsMember(sql, admin);
    const changes = [{ id: member.memberId, role: "vendedor" }, { id: granting.memberId, is_active: false }];
    for (const change of changes) {
      await sql`select app.member_update(${sql.json({ workspace_id: id, ...change })})`;
    }
    waiting = [subscribeAs(token), granting.client.post(APPS, newGrant(["contacts:read"]))];
    await new Promise((resolve) => setTimeout(resolve, 300));
  });
  const [webhook, granted] = await Promise.all(waiting);
  assertError(webhook!, "revoked_api_key");
  assertError(granted!, "insufficient_role");
  const left = await sql`select from crm.webhook_subscriptions where workspace_id = ${id} and is_active`;
  assert.equal(left.length, 0);
});

test("An app of a workspace that is suspended, or has no API, is refused like a key (spec 5)", async ({ sql, workspace: { id } }) => {
  const { token } = await makeApp(sql, id, "vendedor", ["contacts:read"]);
  await sql`update crm.workspaces set suspended = true where id = ${id}`;
  await assertRefused(token, "workspace_suspended");
  await sql`update crm.workspaces set suspended = false, public_api = false where id = ${id}`;
  await assertRefused(token, "feature_disabled");
});

test("A member may grant the scopes for what their role may do in the console, and an admin may grant every scope", async ({ sql, workspace: { id } }) => {
  const given: Record<string, string[]> = {};
  for (const role of ["vendedor", "gestor", "admin"] as const) {
    const { client: member } = await signIn(sql, id, role);
    const { body: { grantable_scopes: scopes } } = await member.get(APPS);
    given[role] = SCOPES.filter((scope) => !scopes.includes(scope));
    const refused = await member.post(APPS, newGrant(SCOPES));
    if (role === "admin") assert.equal(refused.status, 201);
    else assertError(refused, "validation_error", ["scopes"]);
  }
  assert.deepEqual(given, {
    vendedor: ["contacts:manage", "workspace:manage", "webhooks:manage"],
    gestor: ["workspace:manage"],
    admin: [],
  });
});

test("A person has one grant for each client: a new grant with webhooks:manage in the same workspace keeps the webhooks, and one in another workspace ends the old grant", async ({ sql, workspace: { id } }) => {
  const { member, clientId, token, grant: first } = await makeApp(sql, id, "gestor", [
    "contacts:read",
    "webhooks:manage",
  ]);
  const webhook = await subscribeAs(token);
  const isActive = async () => (await stateOf(sql, webhook.body.id))["is_active"];
  const scopes = ["deals:read", "webhooks:manage"] as const;
  const again = await grant(member.session, clientId, scopes, "Claude 2");
  assert.deepEqual([again.id, again.client_name, again.scopes], [first.id, "Claude 2", scopes]);
  assert.equal(await isActive(), true);
  assertError(await callAs(token), "insufficient_scope");
  await grant(member.session, clientId, ["deals:read"]);
  assert.equal(await isActive(), false);

  const elsewhere = await makeWorkspace(sql);
  await makeMember(sql, elsewhere.id, "vendedor", member.email);
  const moved = await call("POST", APPS, {
    session: member.session,
    headers: { "X-Workspace-Id": elsewhere.id },
    body: newGrant(["contacts:read"], clientId),
  });
  assert.equal(moved.status, 201, moved.text);
  assert.equal((await callAs(token, "GET", "/api-v1-me")).body.workspace.id, elsewhere.id);
  const { body: { data } } = await call("GET", APPS, {
    session: member.session,
    headers: { "X-Workspace-Id": id },
  });
  assert.deepEqual(data, []);
});

test("Simultaneous grants for one client leave one grant, and a member has at most 20", async ({ sql, workspace: { id } }) => {
  const { client: api } = await signIn(sql, id, "vendedor");
  const post = (clientId?: string) => api.post(APPS, newGrant(["deals:read"], clientId));
  const clientId = crypto.randomUUID();
  const replies = await Promise.all(Array.from({ length: 5 }, () => post(clientId)));
  assert.deepEqual(new Set(replies.map(({ status, body }) => `${status} ${body.id}`)).size, 1);
  const others = await Promise.all(Array.from({ length: 22 }, () => post()));
  assert.equal(others.filter(({ status }) => status === 201).length, 19);
  assertError(others.find(({ status }) => status !== 201)!, "validation_error", ["client_id"]);
});

test("A member sees and revokes their own apps, an admin all, and the audit log says who did", async ({ sql, workspace: { id } }) => {
  const mine = await makeApp(sql, id, "vendedor", ["contacts:read"]);
  const theirs = await makeApp(sql, id, "gestor", ["contacts:read"]);
  const admin = await signIn(sql, id, "admin");
  await callAs(mine.token);
  const idsFor = async (session: string) =>
    (await memberClient(session).get(APPS)).body.data.map(({ id }: { id: string }) => id);
  assert.deepEqual(await idsFor(mine.member.session), [mine.grant.id]);
  assert.deepEqual(await idsFor(theirs.member.session), [theirs.grant.id]);
  assert.deepEqual(await idsFor(admin.session), [theirs.grant.id, mine.grant.id]);
  const { body: { data: [shown] } } = await mine.member.client.get(APPS);
  assert.ok(Math.abs(Date.parse(shown.last_used_at) - Date.now()) < 10_000);
  assert.deepEqual(shown.member, { id: mine.member.memberId, name: "Membro" });

  assertError(await theirs.member.client.post(`${APPS}/${mine.grant.id}/revoke`), "not_found");
  for (let times = 0; times < 2; times++) {
    const revoked = await admin.client.post(`${APPS}/${mine.grant.id}/revoke`);
    assert.deepEqual([revoked.status, revoked.body.id], [200, mine.grant.id]);
  }
  await assertRefused(mine.token, "revoked_api_key");
  assert.deepEqual(await idsFor(admin.session), [theirs.grant.id]);
  const { body: { data } } = await admin.client.get("/app-v1-activity");
  const lines = data.filter(({ object }: { object: { id: string } }) => object.id === mine.grant.id)
    .map(({ action, actor }: { action: string; actor: { id: string } }) => [action, actor.id]);
  assert.deepEqual(lines, [["grant_revoked", admin.memberId], ["grant_created", mine.member.memberId]]);
});

test("Grants are not keys: the keys' pages and counts leave them out, and only those who see a grant see its requests", async ({ sql, workspace: { id } }) => {
  const { member, grant: { id: grantId } } = await makeApp(sql, id, "vendedor", ["contacts:read"]);
  const { client: admin } = await signIn(sql, id, "admin");
  const { body: keys } = await admin.get("/app-v1-keys");
  assert.ok(!keys.data.some((key: { id: string }) => key.id === grantId));
  for (const [method, path] of [["get", ""], ["post", "/revoke"]] as const) {
    assertError(await admin[method](`/app-v1-keys/${grantId}${path}`), "not_found");
  }
  const body = { overlap_seconds: 0 };
  assertError(await admin.post(`/app-v1-keys/${grantId}/rotate`, body), "not_found");
  assertError(await admin.patch(`/app-v1-keys/${grantId}`, { name: "A" }), "not_found");
  const { body: { data } } = await admin.get("/app-v1-members");
  assert.equal(data.find((one: { id: string }) => one.id === member.memberId).working_keys, 0);
  const requests = `/app-v1-keys/${grantId}/requests`;
  assert.equal((await admin.get(requests)).status, 200);
  assert.equal((await member.client.get(requests)).status, 200);
  const { client: colleague } = await signIn(sql, id, "gestor");
  assertError(await colleague.get(requests), "not_found");
  assert.equal((await colleague.get(`/app-v1-keys/${(await makeKey(sql, id)).id}/requests`)).status, 200);
});

Deno.test("The metadata names the authorization server, and only scopes that this server knows (RFC 9728)", async () => {
  for (
    const [address, resource] of [[METADATA, baseUrl], [METADATA.replace("api-v1", "mcp"), `${baseUrl}/mcp`]]
  ) {
    const response = await fetch(address!);
    assert.equal(response.headers.get("Content-Type"), "application/json; charset=utf-8");
    assert.deepEqual(await response.json(), {
      resource,
      authorization_servers: [new URL("/auth/v1", baseUrl).href],
      scopes_supported: ["email"],
      bearer_methods_supported: ["header"],
      resource_name: "CRM",
    });
    const posted = await fetch(address!, { method: "POST" });
    assert.equal(posted.status, 404);
    await posted.body?.cancel();
  }
});
