// app-v1-keys: how signed-in members manage the workspace's keys.
import assert from "node:assert/strict";
import { assertError, client } from "../support/client.ts";
import { makeKey } from "../support/fixtures.ts";
import { UNKNOWN_ID } from "../support/record_fixtures.ts";
import { test } from "../support/scenario.ts";
import { signIn } from "../support/sessions.ts";
import { subscribe } from "../support/webhooks.ts";

const KEYS = "/app-v1-keys";
const PIPELINES = "/api-v1-pipelines";

test("app-v1-keys creates a key for the signed-in member, and shows its value only in that reply", async ({ sql, workspace }) => {
  const { client: member, memberId } = await signIn(sql, workspace.id, "gestor");
  const created = await member.post(KEYS, {
    name: " Site ",
    scopes: ["pipelines:read", "contact:read", "owners:read", "pipelines:read"],
    expires_at: "2120-01-31",
  });
  assert.equal(created.status, 201);
  const { key, warnings, ...shown } = created.body;
  assert.deepEqual(warnings, [
    'Nenhuma operação exige "contact:read": a permissão fica guardada e não dá acesso a nada. Você quis dizer "contacts:read"?',
    'Nenhuma operação exige "owners:read": a permissão fica guardada e não dá acesso a nada',
  ]);
  assert.equal(shown.name, "Site");
  assert.equal(shown.prefix, key.slice(0, 12));
  assert.deepEqual(shown.scopes, ["pipelines:read", "contact:read", "owners:read"]);
  assert.deepEqual(shown.creator, { id: memberId, name: "Membro", is_active: true });
  assert.equal(shown.expires_at, "2120-01-31T00:00:00.000Z");
  assert.equal(shown.last_used_at, null);

  assert.equal((await client(key).get(PIPELINES)).status, 200);
  const list = await member.get(KEYS);
  assert.ok(!list.text.includes(key));
  assert.deepEqual(list.body.data[0], {
    ...shown,
    last_used_at: list.body.data[0].last_used_at,
    calls: {
      total_7_days: 1,
      failed_7_days: 0,
      days: [...shown.calls.days.slice(0, 6), { ...shown.calls.days[6], calls: 1 }],
    },
  });
  assert.ok(Math.abs(Date.parse(list.body.data[0].last_used_at) - Date.now()) < 10_000);
  const { body } = await member.get(`${KEYS}/${shown.id}`);
  const { hours, days_30: days, failures, subscriptions, ...one } = body;
  assert.deepEqual(one, list.body.data[0]);
  assert.deepEqual([hours.length, hours[47].calls, days.length, days[29].calls], [48, 1, 30, 1]);
  assert.deepEqual([subscriptions, failures.statuses], [[], []]);
  const [{ member_id }] = await sql<[{ member_id: string }]>`
    select member_id from crm.audit_log where object_id = ${shown.id} and action = 'key_created'`;
  assert.equal(member_id, memberId);
});

test("The list of keys says how many requests of each failed in 7 days, up to 1,000", async ({ sql, workspace: { id } }) => {
  const [{ id: keyId }] = await sql<[{ id: string }]>`select id from crm.api_keys where workspace_id = ${id}`;
  const { client: gestor } = await signIn(sql, id, "gestor");
  const failed = async () => (await gestor.get(KEYS)).body.data[0].calls.failed_7_days;
  const log = (status: number, days: number, count: number) =>
    sql`
      insert into crm.requests (workspace_id, key_id, id, method, path, status, request_id, duration_ms)
      select ${id}, ${keyId}, crm.uuid_v7(now() - ${days} * interval '1 day'), 'GET', '/', ${status},
        gen_random_uuid(), 1
      from generate_series(1, ${count}::integer)`;
  for (const [status, days] of [[201, 0], [422, 0], [503, 5], [404, 8]] as const) await log(status, days, 1);
  assert.equal(await failed(), 2);
  await log(429, 1, 1_000);
  assert.equal(await failed(), 1_000);
});

test("app-v1-keys names each invalid field of a new key, and refuses a key that has already expired (spec 7)", async ({ sql, workspace }) => {
  const { client: admin } = await signIn(sql, workspace.id, "admin");
  const send = (body: unknown) => admin.post(KEYS, body);
  const wrong = await send({ name: " ", scopes: ["leads:write", "leads"], expires_at: "amanhã" });
  assertError(wrong, "validation_error", ["name", "scopes.1", "expires_at"]);
  for (const scopes of [[], Array(101).fill("leads:write"), "leads:write"]) {
    assertError(await send({ name: "Site", scopes }), "validation_error", ["scopes"]);
  }
  const past = await send({ name: "Site", scopes: ["leads:write"], expires_at: new Date().toISOString() });
  assert.deepEqual(assertError(past, "already_expired"), { expires_at: "Deve estar no futuro" });
  const { status, body } = await send({ name: "Site", scopes: ["leads:write"], member_id: UNKNOWN_ID });
  assert.equal(status, 201, "an unknown field is ignored");
  assert.equal(body.creator.name, "Membro");
});

test("app-v1-keys rotates a key with an overlap and without, and shows the new value once", async ({ sql, workspace }) => {
  const { client: member } = await signIn(sql, workspace.id, "admin");
  const { id, key } = await makeKey(sql, workspace.id);
  const first = await member.post(`${KEYS}/${id}/rotate`, { overlap_seconds: 3600 });
  assert.equal(first.status, 200, first.text);
  assert.equal(first.body.id, id);
  assert.equal(first.body.prefix, first.body.key.slice(0, 12));
  assert.ok(Date.parse(first.body.old_secret_expires_at) > Date.now() + 3_500_000);
  for (const value of [key, first.body.key]) assert.equal((await client(value).get(PIPELINES)).status, 200);

  const second = await member.post(`${KEYS}/${id}/rotate`, { overlap_seconds: 0 });
  assert.equal(second.body.old_secret_expires_at, null);
  for (const value of [key, first.body.key]) {
    assertError(await client(value).get(PIPELINES), "revoked_api_key");
  }
  assert.equal((await client(second.body.key).get(PIPELINES)).status, 200);
  assert.ok(!(await member.get(`${KEYS}/${id}`)).text.includes(second.body.key));
  for (const overlap_seconds of [1, 3601, "3600", null, undefined]) {
    const wrong = await member.post(`${KEYS}/${id}/rotate`, { overlap_seconds });
    assertError(wrong, "validation_error", ["overlap_seconds"]);
  }
});

test("A gestor gets no key that may define custom fields, neither by creating nor by rotating it; an admin does", async ({ sql, workspace }) => {
  const body = { name: "ERP", scopes: ["contacts:manage", "workspace:manage"], expires_at: null };
  const [gestor, admin] = await Promise.all(
    (["gestor", "admin"] as const).map(async (role) => (await signIn(sql, workspace.id, role)).client),
  );
  const refused = assertError(await gestor!.post(KEYS, body), "validation_error", ["scopes"]);
  assert.equal(refused["scopes"], 'Só um admin pode dar a permissão "workspace:manage" a uma chave');
  const allowed = await gestor!.post(KEYS, { ...body, scopes: ["contacts:manage", "owners:read"] });
  assert.equal(allowed.status, 201, allowed.text);
  const made = await admin!.post(KEYS, body);
  assert.equal(made.status, 201, made.text);
  const rotate = `${KEYS}/${made.body.id}/rotate`;
  assertError(await gestor!.post(rotate, { overlap_seconds: 0 }), "insufficient_role");
  assert.equal((await admin!.post(rotate, { overlap_seconds: 0 })).status, 200);
});

test("app-v1-keys gives no new secret to a key that no longer works (spec 7)", async ({ sql, workspace }) => {
  const { client: member } = await signIn(sql, workspace.id, "admin");
  const [revoked, expired] = await Promise.all([makeKey(sql, workspace.id), makeKey(sql, workspace.id)]);
  await member.post(`${KEYS}/${revoked.id}/revoke`);
  await sql`update crm.api_keys set expires_at = now() where id = ${expired.id}`;
  for (const [{ id }, state] of [[revoked, "revoked"], [expired, "expired"]] as const) {
    assertError(await member.post(`${KEYS}/${id}/rotate`, { overlap_seconds: 0 }), "key_revoked");
    assert.equal((await member.get(`${KEYS}/${id}`)).body.state, state);
    assert.equal((await member.patch(`${KEYS}/${id}`, { name: "Antiga" })).body.name, "Antiga");
  }
});

test("app-v1-keys revokes a key with or without the webhooks that it created", async ({ sql, workspace }) => {
  const { client: member } = await signIn(sql, workspace.id, "gestor");
  const target_url = "https://hooks.example.com/crm";
  for (const keep of [false, true]) {
    const { id, key } = await makeKey(sql, workspace.id);
    const { id: webhook } = await subscribe(key, target_url, ["deal.won"]);
    assert.equal((await member.get(`${KEYS}/${id}`)).body.active_webhooks, 1);
    const sent = keep ? { keep_webhooks: true } : undefined;
    const { status, body } = await member.post(`${KEYS}/${id}/revoke`, sent);
    assert.deepEqual([status, body.state, body.was_revoked], [200, "revoked", false]);
    assert.deepEqual(body.ended_subscriptions, keep ? [] : [{ id: webhook, target_url }]);
    assert.deepEqual(body.kept_subscriptions, keep ? [{ id: webhook, target_url }] : []);
    assert.equal(body.active_webhooks, keep ? 1 : 0);
    assertError(await client(key).get(PIPELINES), "revoked_api_key");
    const { subscriptions } = (await member.get(`${KEYS}/${id}`)).body;
    const about = { is_active: keep, event_types: ["deal.won"] };
    assert.deepEqual(subscriptions, [{ id: webhook, target_url, ...about }]);
    const again = await member.post(`${KEYS}/${id}/revoke`, { keep_webhooks: true });
    assert.equal(again.body.was_revoked, true);
  }
});

test("app-v1-keys changes a key's expiry, even after the key has expired, and the log records it", async ({ sql, workspace }) => {
  const { client: member, memberId } = await signIn(sql, workspace.id, "gestor");
  const { id, key } = await makeKey(sql, workspace.id);
  const change = (body: unknown) => member.patch(`${KEYS}/${id}`, body);
  await sql`update crm.api_keys set expires_at = now() where id = ${id}`;
  assertError(await client(key).get(PIPELINES), "revoked_api_key");
  const later = await change({ expires_at: "2120-01-31T12:00:00Z" });
  const { state, expires_at } = later.body;
  assert.deepEqual([later.status, state, expires_at], [200, "active", "2120-01-31T12:00:00.000Z"]);
  assert.equal((await client(key).get(PIPELINES)).status, 200);
  assert.equal(
    (await change({ name: "Site" })).body.expires_at,
    later.body.expires_at,
    "an absent field does not change",
  );
  assert.equal((await change({ expires_at: null })).body.expires_at, null);
  await change({ expires_at: null });

  const past = await change({ name: "Outro", expires_at: new Date().toISOString() });
  assert.deepEqual(assertError(past, "already_expired"), {
    expires_at: "Deve estar no futuro; para parar a chave já, revogue",
  });
  assertError(await change({ expires_at: "amanhã" }), "validation_error", ["expires_at"]);
  const { body: kept } = await member.get(`${KEYS}/${id}`);
  assert.deepEqual(
    [kept.name, kept.expires_at],
    ["Site", null],
    "a refused change leaves everything as it was",
  );
  const entries = await sql`
    select member_id, details -> 'to' as to from crm.audit_log
    where object_id = ${id} and action = 'key_expiry_changed' order by id`;
  assert.deepEqual(entries.map(({ member_id, to }) => [member_id, to]), [
    [memberId, "2120-01-31T12:00:00.000Z"],
    [memberId, null],
  ]);

  await member.post(`${KEYS}/${id}/revoke`);
  assertError(await change({ expires_at: "2120-01-31T12:00:00Z" }), "key_revoked");
});

test("app-v1-keys lists at most 500 keys: working keys first, then the others, newest first", async ({ sql, workspace }) => {
  const { client: vendedor } = await signIn(sql, workspace.id, "vendedor");
  // Every second key is revoked and every third has expired, so 200 of 600 work, besides the test's own key.
  await sql`
    insert into crm.api_keys (workspace_id, id, member_id, name, prefix, scopes, revoked_at, expires_at)
    select ${workspace.id}, crm.uuid_v7(now() + n * interval '1 ms'), ${workspace.memberId}, n, 'svc_', '{leads:write}',
      case when n % 2 = 0 then now() end, case when n % 3 = 0 then now() end
    from generate_series(1, 600) n`;
  const { body: { data } } = await vendedor.get(KEYS);
  assert.equal(data.length, 500);
  const states = data.map(({ state }: { state: string }) => state === "active");
  assert.equal(states.lastIndexOf(true), 200);
  assert.ok(states.slice(0, 201).every(Boolean));
  const ids = data.map(({ id }: { id: string }) => id);
  for (const part of [ids.slice(0, 201), ids.slice(201)]) assert.deepEqual(part, part.toSorted().reverse());
});

test("A member cannot exceed 100 working keys, even with many calls at once; the operator can", async ({ sql, workspace }) => {
  const { client: gestor } = await signIn(sql, workspace.id, "gestor");
  await gestor.get(KEYS);
  const working = await sql`select from crm.api_keys where workspace_id = ${workspace.id}`;
  await sql`
    insert into crm.api_keys (workspace_id, member_id, name, prefix, scopes, revoked_at)
    select ${workspace.id}, ${workspace.memberId}, 'Chave', 'svc_aaaaaaaa', '{notes:read}',
      case when n > ${98 - working.length}::integer then now() end
    from generate_series(1, 200) n`;
  const body = { name: "Site", scopes: ["leads:write"] };
  const replies = await Promise.all(Array.from({ length: 6 }, () => gestor.post(KEYS, body)));
  const made = replies.filter(({ status }) => status === 201);
  assert.equal(made.length, 2);
  for (const reply of replies.filter(({ status }) => status !== 201)) {
    assertError(reply, "validation_error", ["name"]);
  }
  const [expired] = await sql`
    insert into crm.api_keys (workspace_id, member_id, name, prefix, scopes, expires_at)
    values (${workspace.id}, ${workspace.memberId}, 'Vencida', 'svc_aaaaaaaa', '{notes:read}', now())
    returning id`;
  const revived = await gestor.patch(`${KEYS}/${expired!["id"]}`, { expires_at: null });
  assertError(revived, "validation_error", ["name"]);
  await makeKey(sql, workspace.id);
  await gestor.post(`${KEYS}/${made[0]!.body.id}/revoke`);
  assert.equal((await gestor.post(KEYS, body)).status, 422, "the operator's key is the hundredth");
  await gestor.post(`${KEYS}/${made[1]!.body.id}/revoke`);
  assert.equal((await gestor.post(KEYS, body)).status, 201);
});
