// What the console shows without being asked: alerts, and the first steps of a new workspace.
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { operate } from "../../run/operator/operator.ts";
import { countBlocks } from "../support/blocks.ts";
import { client } from "../support/client.ts";
import { makeKey, makeWorkspace } from "../support/fixtures.ts";
import { openMailbox } from "../support/mailbox.ts";
import { test } from "../support/scenario.ts";
import { makeMember, signIn } from "../support/sessions.ts";
import { actAs, actAsMember } from "../support/transactions.ts";
import { letTimePass, subscribe, waitForDelivery } from "../support/webhooks.ts";

const WORKSPACE = "/app-v1-workspace";
const EVENTS = ["contact.created"];

interface Alert {
  kind: string;
  id: string;
  name: string;
  since: string | null;
  until: string | null;
}

/** Reads the workspace as the console does, as a new member with this role. */
async function read(sql: Sql, workspaceId: string, role: "admin" | "gestor" | "vendedor" = "admin") {
  const { client: member } = await signIn(sql, workspaceId, role);
  const { body } = await member.get(WORKSPACE);
  return body as { alerts: Alert[]; first_steps: Record<string, boolean> | null };
}

/** Makes a key that expires after an interval; a negative interval makes an expired key. */
async function makeExpiringKey(sql: Sql, workspaceId: string, after: string): Promise<string> {
  const { id } = await makeKey(sql, workspaceId);
  await sql`update crm.api_keys set name = ${after}, expires_at = now() + ${after}::interval where id = ${id}`;
  return id;
}

/** Sets how many of a webhook's last attempts failed in a row. */
async function fail(sql: Sql, id: string, times: number): Promise<void> {
  await sql`update crm.webhook_subscriptions set failure_count = ${times} where id = ${id}`;
}

/** Makes it look as if five failures stopped a webhook, `ago` before now. */
async function stop(sql: Sql, id: string, ago: string): Promise<void> {
  await sql`
    update crm.webhook_subscriptions
    set is_active = false, deactivated_reason = 'failures', deactivated_at = now() - ${ago}::interval, notice_due_at = null
    where id = ${id}`;
}

test("A workspace in which everything works has no alerts", async ({ sql, workspace: { id, key } }) => {
  const { id: webhook } = await subscribe(key, openMailbox().url, EVENTS);
  await fail(sql, webhook, 2);
  await makeExpiringKey(sql, id, "15 days");
  await makeExpiringKey(sql, id, "-8 days");
  const { id: revoked } = await makeKey(sql, id);
  await sql`update crm.api_keys set expires_at = now() + interval '1 day', revoked_at = now() where id = ${revoked}`;
  const { id: removed } = await subscribe(key, openMailbox().url, EVENTS);
  await sql`
    update crm.webhook_subscriptions set is_active = false, deactivated_reason = 'deleted', failure_count = 5
    where id = ${removed}`;
  const { id: forgotten } = await subscribe(key, openMailbox().url, EVENTS);
  await stop(sql, forgotten, "31 days");
  assert.deepEqual((await read(sql, id)).alerts, []);
});

test("Alerts list first what has stopped, then what will stop, with since or until, and nothing of another workspace", async ({ sql, workspace: { id, key } }) => {
  const other = await makeWorkspace(sql);
  await makeExpiringKey(sql, other.id, "1 day");
  await stop(sql, (await subscribe(other.key, openMailbox().url, EVENTS)).id, "1 hour");

  const later = await makeExpiringKey(sql, id, "13 days");
  const sooner = await makeExpiringKey(sql, id, "2 days");
  const failing = openMailbox();
  const { id: failingId } = await subscribe(key, failing.url, EVENTS);
  await fail(sql, failingId, 3);
  await sql`
    update crm.webhook_subscriptions set last_success_at = '2026-11-20T10:00:00Z' where id = ${failingId}`;
  const expired = await makeExpiringKey(sql, id, "-6 days");
  const { id: first } = await subscribe(key, openMailbox().url, EVENTS);
  await stop(sql, first, "2 days");
  const stopped = openMailbox();
  const { id: newest } = await subscribe(key, stopped.url, EVENTS);
  await stop(sql, newest, "1 day");

  for (const role of ["admin", "gestor"] as const) {
    const { alerts } = await read(sql, id, role);
    assert.deepEqual(alerts.map(({ kind, id }) => [kind, id]), [
      ["webhook_stopped", newest],
      ["webhook_stopped", first],
      ["key_expired", expired],
      ["webhook_failing", failingId],
      ["key_expiring", sooner],
      ["key_expiring", later],
    ]);
    assert.equal(alerts[0]!.name, new URL(stopped.url).host);
    assert.ok(Math.abs(Date.parse(alerts[0]!.since!) + 86_400_000 - Date.now()) < 60_000);
    assert.deepEqual([alerts[2]!.name, alerts[2]!.until], ["-6 days", null]);
    assert.ok(Date.parse(alerts[2]!.since!) < Date.now());
    assert.equal(alerts[3]!.since, "2026-11-20T10:00:00.000Z");
    assert.deepEqual([alerts[4]!.name, alerts[4]!.since], ["2 days", null]);
    assert.ok(Date.parse(alerts[4]!.until!) > Date.now());
  }
  await sql`update crm.workspaces set suspended = true where id = ${id}`;
  const { alerts } = await read(sql, id);
  assert.ok(!alerts.some(({ kind }) => kind === "webhook_failing"), "nothing is sent, so nothing fails");
  assert.equal(alerts.length, 5);
});

test("A vendedor, who may change neither keys nor webhooks, gets no alerts, and only an admin gets the first steps", async ({ sql, workspace: { id } }) => {
  await makeExpiringKey(sql, id, "1 day");
  assert.deepEqual(await read(sql, id, "vendedor").then(shown), [0, null]);
  assert.deepEqual(await read(sql, id, "gestor").then(shown), [1, null]);
  const [alerts, steps] = shown(await read(sql, id, "admin"));
  assert.equal(alerts, 1);
  assert.ok(steps);
});

function shown({ alerts, first_steps }: Awaited<ReturnType<typeof read>>) {
  return [alerts.length, first_steps] as const;
}

test("Each first step of a workspace is marked as done when its people do it, and the list is null after the last step", async ({ sql }) => {
  const { id } = await operate(sql, "workspace_create", { name: "Nova" });
  const busy = await makeWorkspace(sql);
  await subscribe(busy.key, openMailbox().url, EVENTS);
  const { client: admin } = await signIn(sql, id, "admin");
  const steps = async () => (await admin.get(WORKSPACE)).body.first_steps;
  const none = { key: false, call: false, webhook: false, delivery: false, colleague: false };
  assert.deepEqual(await steps(), none);

  const { body: { key } } = await admin.post("/app-v1-keys", {
    name: "Site",
    scopes: ["contacts:write", "webhooks:manage"],
  });
  assert.deepEqual(await steps(), { ...none, key: true });

  const mailbox = openMailbox();
  const { body: { id: webhook } } = await admin.post("/app-v1-webhooks", {
    event_types: EVENTS,
    target_url: mailbox.url,
  });
  assert.deepEqual(await steps(), { ...none, key: true, webhook: true });

  await admin.post(`/app-v1-webhooks/${webhook}/test`);
  await letTimePass(sql, webhook);
  await waitForDelivery(sql, webhook, ({ state }) => state === "delivered");
  assert.deepEqual(await steps(), { ...none, key: true, webhook: true, delivery: true });

  // The call counts at once, although crm.key_counters is up to a minute late.
  await client(key).get("/api-v1-me");
  assert.deepEqual(await steps(), { key: true, call: true, webhook: true, delivery: true, colleague: false });

  await makeMember(sql, id, "vendedor");
  assert.equal(await steps(), null);
});

test("After 30 days the first steps end if there were calls, and stay if there were none", async ({ sql, workspace: { id, key }, api }) => {
  const steps = async () => (await read(sql, id)).first_steps;
  const age = (days: number) =>
    sql`update crm.workspaces set created_at = now() - ${days} * interval '1 day' where id = ${id}`;
  await age(31);
  assert.equal((await steps())?.call, false);
  await subscribe(key, openMailbox().url, EVENTS);
  await api.get("/api-v1-me");
  assert.equal(await steps(), null);
  await age(29);
  assert.equal((await steps())?.call, true);
});

test("Alerts and first steps read few blocks, even in a workspace with 5,000 old keys and webhooks", async ({ sql, workspace: { id, key } }) => {
  const { id: webhook } = await subscribe(key, openMailbox().url, EVENTS);
  await fail(sql, webhook, 5);
  await sql`
    insert into crm.api_keys (workspace_id, member_id, name, prefix, scopes, expires_at, revoked_at)
    select k.workspace_id, k.member_id, 'Antiga', 'svc_antiga', '{}', now() - n * interval '1 minute', now()
    from crm.api_keys k cross join generate_series(1, 5000) n where k.workspace_id = ${id}`;
  await sql`
    insert into crm.webhook_subscriptions (
      workspace_id, event_types, target_url, is_active, deactivated_reason, deactivated_at
    )
    select ${id}, '{deal.won}', 'https://antigo.example/', false, 'deleted', now() from generate_series(1, 5000)`;
  await sql`update crm.workspaces set created_at = now() - interval '31 days' where id = ${id}`;
  await sql`select crm.drain_calls()`;
  await sql`vacuum analyze crm.api_keys, crm.webhook_subscriptions`;
  const { memberId } = await signIn(sql, id, "admin");
  await sql.begin(async (sql) => {
    await actAsMember(sql, memberId);
    await actAs(sql, "crm_app", id);
    for (const name of ["workspace_alerts", "workspace_first_steps"]) {
      const blocks = await countBlocks(
        sql,
        `select crm.${name}(w) from crm.workspaces w where w.id = '${id}'`,
      );
      // The old keys fill some 100 blocks, so a query that read all keys would exceed the limit.
      assert.ok(blocks <= 40, `${name} reads ${blocks} blocks`);
    }
  });
});
