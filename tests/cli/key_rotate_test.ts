// A rotation replaces the secret of a key and changes nothing else.
import assert from "node:assert/strict";
import { rotateKey } from "../../run/operator/keys.ts";
import { operate } from "../../run/operator/operator.ts";
import { assertError, client } from "../support/client.ts";
import { makeKey, makeWorkspace } from "../support/fixtures.ts";
import { runJob } from "../support/jobs.ts";
import { eventually } from "../support/mailbox.ts";
import { test } from "../support/scenario.ts";
import { subscribe } from "../support/webhooks.ts";
import { assertMistake, json, say } from "./crm.ts";

const PIPELINES = "/api-v1-pipelines";

test("key rotate gives a new value; the replaced value works until its overlap or the next rotation", async ({ sql, workspace }) => {
  const { id, key: first } = await makeKey(sql, workspace.id);
  const works = async (value: string) => (await client(value).get(PIPELINES)).status === 200;
  const { key: second, ...rotated } = await json("key", "rotate", id, "--overlap", "1h");
  assert.deepEqual(Object.keys(rotated), ["id", "old_secret_expires_at"]);
  const overlap = Date.parse(rotated.old_secret_expires_at) - Date.now();
  assert.ok(overlap > 3_590_000 && overlap <= 3_600_000, `${overlap} ms`);
  const listed = await say("key", "list", "--workspace", workspace.id);
  assert.match(listed, new RegExp(`^${id} .* ${rotated.old_secret_expires_at}$`, "m"));
  assert.deepEqual([await works(first), await works(second)], [true, true]);

  /** Rotates the key; returns what is said about the earlier value, and the new value. */
  const rotate = async (...options: string[]) => {
    const said = `^The earlier value of key ${id} (.*)\\.\nThe new value is shown only now:\n\n(svc_\\S+)\n$`;
    return new RegExp(said).exec(await say("key", "rotate", id, ...options))!.slice(1) as [string, string];
  };
  const [until, third] = await rotate("--overlap", "7d");
  assert.match(until, /^works until 20\S+Z$/);
  assert.deepEqual([await works(first), await works(second), await works(third)], [false, true, true]);
  await sql`update crm.key_secrets set expires_at = now() where key_id = ${id} and expires_at is not null`;
  assertError(await client(second).get(PIPELINES), "revoked_api_key");
  const [ended, fourth] = await rotate();
  assert.equal(ended, "no longer works");
  assert.deepEqual([await works(third), await works(fourth)], [false, true]);
  await say("key", "revoke", id);
  await assertMistake(["key", "rotate", id], 1, new RegExp(`"${id}" is revoked or has expired, for good`));
});

test("a rotation keeps a key's id, scopes, limit, subscriptions and call counts", async ({ sql }) => {
  const workspace = await makeWorkspace(sql, { rateLimit: 4 });
  const { id, key } = await makeKey(sql, workspace.id);
  const subscription = await subscribe(key, "https://hooks.example.com/crm", ["deal.won"]);
  await client(key).get(PIPELINES);
  const of = { workspace_id: workspace.id, id };
  const before = await eventually(async () => {
    const shown = await operate(sql, "key_get", of);
    const logged = shown.failures.hours.reduce((sum, { requests }) => sum + (requests ?? 0), 0);
    return shown.calls.total_7_days === 2 && logged === 2 && shown;
  }, "both calls to be counted and logged");
  const rotated = await rotateKey(sql, id, 3600);
  const after = await operate(sql, "key_get", of);
  assert.deepEqual(after, {
    ...before,
    prefix: rotated.key.slice(0, 12),
    rotated_at: after.rotated_at,
    old_secret_expires_at: rotated.old_secret_expires_at,
  });
  assert.deepEqual(after.subscriptions.map(({ id }) => id), [subscription.id]);
  for (const value of [key, rotated.key]) assert.equal((await client(value).get(PIPELINES)).status, 200);
  for (const value of [key, rotated.key]) assertError(await client(value).get(PIPELINES), "rate_limited");
});

test("concurrent rotations and a revocation leave one newest secret, which is revoked", async ({ sql, workspace }) => {
  const { id, key } = await makeKey(sql, workspace.id);
  const attempts = await Promise.allSettled([
    ...Array.from({ length: 6 }, () => rotateKey(sql, id, 3_600)),
    operate(sql, "key_revoke", { workspace_id: workspace.id, id }),
  ]);
  const values = attempts.flatMap((attempt) =>
    attempt.status === "fulfilled" && "key" in attempt.value ? [attempt.value.key] : []
  );
  const refused = attempts.flatMap((attempt) => attempt.status === "rejected" ? [attempt.reason.code] : []);
  assert.deepEqual(refused, refused.map(() => "key_revoked"));
  for (const value of [key, ...values]) assertError(await client(value).get(PIPELINES), "revoked_api_key");
  const secrets = await sql`select expires_at is null as newest from crm.key_secrets where key_id = ${id}`;
  assert.equal(secrets.length, 1 + values.length);
  assert.equal(secrets.filter(({ newest }) => newest).length, 1);
});

test("a replaced secret is deleted 30 days after it ends", async ({ sql, workspace }) => {
  const { id, key } = await makeKey(sql, workspace.id);
  const { key: newest } = await rotateKey(sql, id, 0);
  const end = async (days: number) => {
    await sql`
      update crm.key_secrets set expires_at = now() - make_interval(days => ${days})
      where key_id = ${id} and expires_at is not null`;
    await runJob(sql, "purge-key-secrets");
    return await client(key).get(PIPELINES);
  };
  assertError(await end(29), "revoked_api_key");
  assertError(await end(31), "invalid_api_key");
  assert.equal((await client(newest).get(PIPELINES)).status, 200);
});

test("key rename changes the name that key show prints", async ({ sql, workspace }) => {
  const { id, key } = await makeKey(sql, workspace.id);
  await subscribe(key, "https://hooks.example.com/crm", ["deal.won"]);
  assert.equal(await say("key", "rename", id, " Site novo "), `Key ${id} is called "Site novo"\n`);
  assert.match(
    await say("key", "show", id),
    new RegExp(
      `^Key ${id} "Site novo" \\(svc_\\w{8}…\\) is active\nScopes: .*\nMay be used from everywhere\nCreated at .* by Administrador; last used: 20` +
        "[^]*https://hooks\\.example\\.com/crm +yes +deal\\.won\n\nDAY +CALLS\n20\\S+ +1\n$",
    ),
  );
});

test("each change to a key is in the audit log, with the details that the console shows", async ({ sql, workspace }) => {
  const { id, key } = await makeKey(sql, workspace.id, { scopes: ["webhooks:manage"] });
  const subscription = await subscribe(key, "https://hooks.example.com/crm", ["deal.won"]);
  for (const name of ["Site", "Site"]) {
    await operate(sql, "key_update", { workspace_id: workspace.id, id, name });
  }
  await rotateKey(sql, id, 86_400);
  for (let n = 0; n < 2; n++) await operate(sql, "key_revoke", { workspace_id: workspace.id, id });
  const lines = await sql`
    select action, object_type, object_name, member_id, details from crm.audit_log where object_id = ${id} order by id`;
  const line = (action: string, object_name: string, details: unknown) => {
    return { action, object_type: "key", object_name, member_id: null, details };
  };
  assert.deepEqual(lines.map((row) => ({ ...row })), [
    line("key_created", "Teste", { scopes: ["webhooks:manage"], expires_at: null, allowed_networks: null }),
    line("key_renamed", "Site", { previous_name: "Teste" }),
    line("key_rotated", "Site", { overlap_seconds: 86_400 }),
    line("key_revoked", "Site", {
      ended_subscriptions: [{ id: subscription.id, target_url: "https://hooks.example.com/crm" }],
      kept_subscriptions: [],
    }),
  ]);
});
