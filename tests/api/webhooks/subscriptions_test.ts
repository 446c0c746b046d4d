import assert from "node:assert/strict";
import { EVENT_TYPES } from "../../../supabase/functions/_shared/contract/events.ts";
import { assertError } from "../../support/client.ts";
import { test } from "../../support/scenario.ts";
import { WEBHOOKS } from "../../support/webhooks.ts";

const valid = { event_types: ["deal.won"], target_url: "https://hooks.example.com/crm" };

test("POST /api-v1-webhooks subscribes, shows the secret once, and stores it encrypted (spec 2.6, 4.5)", async ({ sql, workspace, api }) => {
  const created = await api.post(WEBHOOKS, valid);
  assert.equal(created.status, 201);
  const { id, secret, created_at, ...rest } = created.body;
  const [key] = await sql`select id from crm.api_keys where workspace_id = ${workspace.id}`;
  const unset = { filters: null, payload: "full", header: null, name: null };
  assert.deepEqual(rest, { ...valid, is_active: true, ...unset });
  assert.match(secret, /^whsec_[A-Za-z0-9_-]{43}$/);
  assert.equal(created.headers.get("Cache-Control"), "no-store");
  const [stored] = await sql`select secret from crm.webhook_secrets where subscription_id = ${id}`;
  assert.equal(stored!["secret"].includes(secret.slice("whsec_".length)), false);

  const list = await api.get(WEBHOOKS);
  assert.deepEqual(list.body, {
    data: [{
      id,
      ...valid,
      is_active: true,
      failure_count: 0,
      last_success_at: null,
      last_failure_at: null,
      created_at,
      key_id: key!["id"],
      deactivated_at: null,
      deactivated_reason: null,
      held: false,
      behind_since: null,
      old_secret_until: null,
      ...unset,
    }],
  });
});

test("All spellings of a target's host are stored alike, so that they share the limit of attempts to a host", async ({ sql, api }) => {
  const spellings = [
    "https://hooks.example.com/crm?a=%20",
    "https://HOOKS.example.com./crm?a=%20",
    "https://hooks.ex%61mple.com:443/crm?a=%20",
    "https:hooks。example.com/crm?a=%20",
    "https:///hooks.example.com/crm?a=%20",
  ];
  for (const target_url of spellings) {
    const { body } = await api.post(WEBHOOKS, { ...valid, target_url });
    assert.equal(body.target_url, spellings[0], target_url);
  }
  const named = await api.post(WEBHOOKS, { ...valid, target_url: "https://padaria-são-joão.example:8443" });
  assert.equal(named.body.target_url, "https://xn--padaria-so-joo-yhbe.example:8443");
  const hosts =
    await sql`select distinct target_host from crm.webhook_subscriptions where target_url = any(${spellings})`;
  assert.deepEqual(hosts.map(({ target_host }) => target_host), ["hooks.example.com"]);
});

test("POST /api-v1-webhooks accepts every event of the catalog, and stores a repeated event once (spec 2.6, 6.1)", async ({ api }) => {
  const event_types = [...EVENT_TYPES, EVENT_TYPES[0]];
  const { status, body } = await api.post(WEBHOOKS, { ...valid, event_types });
  assert.equal(status, 201);
  assert.deepEqual(body.event_types, EVENT_TYPES);
});

test("POST /api-v1-webhooks answers invalid_event_type to an event outside the catalog (spec 2.6, 4.5, 7)", async ({ api }) => {
  for (const event of ["deal.deleted", "DEAL.WON", "", "*", "toString"]) {
    const reply = await api.post(WEBHOOKS, { ...valid, event_types: ["deal.won", event] });
    assert.ok(assertError(reply, "invalid_event_type")["event_types.1"]);
  }
});

test("POST /api-v1-webhooks answers invalid_target_url to a target that is not https and public (spec 2.6, 4.5, 7)", async ({ api }) => {
  const targets = [
    "http://example.com/",
    "hooks.example.com",
    "https://localhost/",
    "https://127.1/",
    "https://10.0.0.1/",
    "https://[::ffff:169.254.169.254]/",
    "https://user@example.com/",
    "https://example.com:22/",
  ];
  for (const target_url of targets) {
    const reply = await api.post(WEBHOOKS, { ...valid, target_url });
    assert.ok(assertError(reply, "invalid_target_url")["target_url"], target_url);
  }
  const both = await api.post(WEBHOOKS, { event_types: ["x"], target_url: targets[0] });
  assertError(both, "invalid_event_type", ["event_types.0", "target_url"]);
});

test("POST /api-v1-webhooks answers validation_error to other invalid fields, and names each (spec 2.6, 4.5, 8)", async ({ api }) => {
  const target = (length: number) => "https://hooks.example.com/".padEnd(length, "x");
  const cases: [body: Record<string, unknown>, ...fields: string[]][] = [
    [{}, "event_types", "target_url"],
    [{ ...valid, event_types: [] }, "event_types"],
    [{ ...valid, event_types: "deal.won" }, "event_types"],
    [{ ...valid, event_types: [7] }, "event_types.0"],
    [{ ...valid, target_url: "" }, "target_url"],
    [{ ...valid, target_url: null }, "target_url"],
    [{ ...valid, target_url: target(2049) }, "target_url"],
  ];
  for (const [body, ...fields] of cases) {
    assertError(await api.post(WEBHOOKS, body), "validation_error", fields);
  }
  assert.equal((await api.post(WEBHOOKS, { ...valid, target_url: target(2048) })).status, 201);
});

test("DELETE /api-v1-webhooks/:id deactivates and can be repeated, and GET lists the newest first, inactive ones included (spec 2.6, 3, 4.5)", async ({ api }) => {
  const ids: string[] = [];
  for (let i = 0; i < 3; i++) ids.unshift((await api.post(WEBHOOKS, valid)).body.id);
  for (let times = 1; times <= 2; times++) {
    const { status, text } = await api.delete(`${WEBHOOKS}/${ids[1]}`);
    assert.deepEqual([status, text], [204, ""]);
  }

  const { body } = await api.get(WEBHOOKS);
  assert.deepEqual(body.data.map((s: { id: string }) => s.id), ids);
  assert.deepEqual(body.data.map((s: { is_active: boolean }) => s.is_active), [true, false, true]);
});

test("GET /api-v1-webhooks lists at most 500: all active subscriptions, then the newest inactive ones (spec 4.5)", async ({ sql, workspace, api }) => {
  const old: string = (await api.post(WEBHOOKS, valid)).body.id;
  const made = await sql<{ id: string }[]>`
    insert into crm.webhook_subscriptions (workspace_id, id, event_types, target_url, is_active, created_at)
    select ${workspace.id}, crm.uuid_v7(at), '{deal.won}', 'https://hooks.example.com/', false, at
    from generate_series(1, 600) n cross join lateral (select now() + n * interval '1 second' as at) t
    returning id`;
  const newest = made.map(({ id }) => id).sort().reverse().slice(0, 499);
  const { body } = await api.get(WEBHOOKS);
  assert.deepEqual(body.data.map((s: { id: string }) => s.id), [...newest, old]);
});
