// The rules of spec 4.0.1, for every creating POST that honours Idempotency-Key.
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { hashRequest } from "../../supabase/functions/_shared/http/idempotency.ts";
import { EVENT_TYPES } from "../../supabase/functions/_shared/contract/events.ts";
import { assertError, call, type Reply } from "../support/client.ts";
import { makeKey, makeWorkspaceWithDeal } from "../support/fixtures.ts";
import { operationOf } from "../support/documented.ts";
import { keyEndpoints } from "../support/resources.ts";
import { type Scenario, sql, test as testScenario } from "../support/scenario.ts";
import { openDatabase } from "../support/stack.ts";

const HOUR = 60 * 60;
/** The errors of a verb that needs an active member. */
const WITHOUT_MEMBERS = ["no_owner_available", "no_author_available", "owner_unresolved"];
/** The POSTs that create one record. Upserts and batches have tests of their own. */
const creating = keyEndpoints.filter(({ route }) => route.endpoint.idempotent && route.path === "/");

/** A body that is valid for all creating POSTs, because unknown fields are ignored. */
const bodyFor = (deal: { id: string }) => {
  return { name: "A", first_name: "A", title: "A", body: "A", deal_id: deal.id };
};

type Given = Scenario["workspace"] & { body: ReturnType<typeof bodyFor> };

/** Registers a test that gets a new workspace, and a body for its calls. */
function test(title: string, run: (workspace: Given) => Promise<void>): void {
  testScenario(
    title,
    async ({ workspace, newDeal }) => run({ ...workspace, body: bodyFor(await newDeal()) }),
  );
}

Deno.test("Idempotency-Key is honoured by every POST that creates, except for subscriptions (spec 4.0.1, 9)", () => {
  const ignoring = keyEndpoints.filter(({ route: { method, path, endpoint } }) =>
    method === "POST" && ["/", "/upsert", "/batch"].includes(path) && !endpoint.idempotent
  );
  assert.deepEqual(ignoring.map(({ title }) => title), ["POST /api-v1-webhooks"]);
});

for (const [index, { resource, route, title }] of creating.entries()) {
  const { endpoint } = route;
  const path = `/${resource.name}`;
  const isLead = resource.name === "api-v1-leads";
  const table = isLead ? "deals" : resource.name.replace("api-v1-", "");
  const event = isLead ? "lead.received" : endpoint.verb.replace("_create", ".created");
  const eventsOfEach = (EVENT_TYPES as readonly string[]).includes(event) ? 1 : 0;
  const another = creating[(index + 1) % creating.length]!;

  const idOf = ({ body }: Reply): string => isLead ? body.lead.deal_id : body.id;

  const send = (key: string, body: unknown, idempotencyKey?: string): Promise<Reply> =>
    call("POST", path, {
      key,
      body,
      ...(idempotencyKey !== undefined && { headers: { "Idempotency-Key": idempotencyKey } }),
    });

  /** Counts this resource's records and their events, without the workspace's first deal and contact. */
  const made = async ({ id, body }: Given) => {
    const [row] = await sql<[{ records: number; events: number }]>`
      select count(distinct t.id)::int as records, count(e.id)::int as events
      from ${sql(`crm.${table}`)} t
      left join crm.events e on e.object_id = t.id and e.event::text = ${event}
      where t.workspace_id = ${id}
        and t.id not in (
          select unnest(array[d.id, d.contact_id]) from crm.deals d where d.id = ${body.deal_id}
        )`;
    return row;
  };

  test(`${title} answers the same Idempotency-Key and body with 200 and the original reply, and creates nothing (spec 4.0.1, 6.1)`, async (workspace) => {
    const first = await send(workspace.key, workspace.body, "one");
    assert.equal(first.status, 201);
    assert.equal(first.headers.get("Idempotent-Replayed"), null);
    // The original reply is repeated even when the record has changed.
    await sql`
      update ${sql(`crm.${table}`)} set created_at = created_at - interval '1 day' where id = ${idOf(first)}`;
    // Neither the order of fields nor white space makes a body different.
    const reversed = Object.fromEntries(Object.entries(workspace.body).reverse());
    for (const body of [workspace.body, JSON.stringify(reversed, null, "\t")]) {
      const again = await send(workspace.key, body, "one");
      assert.deepEqual([again.status, again.text], [200, first.text]);
      assert.equal(again.headers.get("Idempotent-Replayed"), "true");
      const { responses } = operationOf(resource.name, route);
      assert.equal("ETag" in (responses["2XX"] ?? responses[200]).headers, again.headers.has("ETag"));
    }
    assert.deepEqual(await made(workspace), { records: 1, events: eventsOfEach });
  });

  test(`${title} refuses an Idempotency-Key that was used with another body or on another resource (spec 4.0.1, 7)`, async (workspace) => {
    assert.equal((await send(workspace.key, workspace.body, "body")).status, 201);
    for (const change of [{ name: "B" }, { more: null }]) {
      const changed = { ...workspace.body, ...change };
      assertError(await send(workspace.key, changed, "body"), "idempotency_conflict");
    }
    assert.equal((await made(workspace)).records, 1);
    const first = await call("POST", `/${another.resource.name}`, {
      key: workspace.key,
      body: workspace.body,
      headers: { "Idempotency-Key": "resource" },
    });
    assert.equal(first.status, 201);
    const before = await made(workspace);
    assertError(await send(workspace.key, workspace.body, "resource"), "idempotency_conflict");
    assert.deepEqual(await made(workspace), before);
  });

  test(`${title} compares the body with the body of the first call before it validates the body (spec 4.0.1)`, async (workspace) => {
    const first = await send(workspace.key, workspace.body, "one");
    assert.equal(first.status, 201);
    const text = JSON.stringify(workspace.body);
    const others = [
      {},
      "",
      "no json",
      "[]",
      new Uint8Array([0xff]),
      // A parser that keeps the last of two equal names would read the original body.
      text.replace("{", '{"name":"B",'),
      { ...workspace.body, custom_fields: 1 },
      text.replace("}", `,"more":[${"0,".repeat(6_000)}0]}`),
    ];
    for (const other of others) {
      assertError(await send(workspace.key, other, "one"), "idempotency_conflict");
    }
    const again = await call("POST", `${path}?unknown=1`, {
      key: workspace.key,
      body: workspace.body,
      headers: { "Idempotency-Key": "one" },
    });
    assert.deepEqual([again.status, again.text], [200, first.text]);
    assert.equal(again.headers.get("Idempotent-Replayed"), "true");
    assert.equal(again.headers.get("Location"), first.headers.get("Location"));
    // An Idempotency-Key is remembered only with a successful reply.
    for (let i = 0; i < 2; i++) {
      assertError(await send(workspace.key, "no json", "two"), endpoint.malformed);
    }
    assertError(await send(workspace.key, {}, "two"), "validation_error");
    assert.deepEqual(await made(workspace), { records: 1, events: eventsOfEach });
  });

  /** Begins the POST in a transaction that stays open, as if its process were still running. */
  const begin = async (
    original: Sql,
    { key, body }: { key: string; body: Record<string, string> },
    idempotencyKey: string,
  ): Promise<void> => {
    const hash = hashRequest(endpoint.operation, body);
    await original`begin`;
    const [reply] = await original`
      select error_code from api.call(
        sha256(${key}::text::bytea), ${endpoint.scope}, ${endpoint.verb}, ${
      JSON.stringify(body)
    }::text::jsonb,
        ${idempotencyKey}, decode(${hash}, 'hex')
      )`;
    assert.equal(reply!["error_code"], null);
  };

  test(`${title} answers 409 while the original is being processed, and the original reply afterwards (spec 4.0.1, 7)`, async (workspace) => {
    await using original = openDatabase();
    await begin(original, workspace, "one");
    const early = await send(workspace.key, workspace.body, "one");
    assertError(early, "idempotency_in_progress");
    assert.equal(early.headers.get("Retry-After"), "1");
    for (const other of [{ ...workspace.body, name: "B" }, {}, "no json"]) {
      assertError(await send(workspace.key, other, "one"), "idempotency_in_progress");
    }
    await original`commit`;
    assert.equal((await send(workspace.key, workspace.body, "one")).status, 200);
    assert.deepEqual(await made(workspace), { records: 1, events: eventsOfEach });
  });

  test(`${title}: an error frees the Idempotency-Key`, async (workspace) => {
    assertError(await send(workspace.key, {}, "one"), "validation_error");
    if (endpoint.errors.some((code) => WITHOUT_MEMBERS.includes(code))) {
      // If the workspace has no active member, the verb itself raises an error.
      await sql`update crm.members set is_active = false where workspace_id = ${workspace.id}`;
      assert.equal((await send(workspace.key, workspace.body, "one")).status, 422);
      await sql`update crm.members set is_active = true where workspace_id = ${workspace.id}`;
    }
    assert.equal((await send(workspace.key, workspace.body, "one")).status, 201);
    assert.deepEqual(await made(workspace), { records: 1, events: eventsOfEach });
  });

  test(`${title} without Idempotency-Key creates a new record every time (spec 4.0.1)`, async (workspace) => {
    for (let i = 0; i < 2; i++) assert.equal((await send(workspace.key, workspace.body)).status, 201);
    assert.deepEqual(await made(workspace), { records: 2, events: 2 * eventsOfEach });
  });

  // The door applies the other rules before it runs the verb, so one resource is enough to test them.
  if (index > 0) continue;

  test(`${title} refuses an Idempotency-Key that does not have 1 to 255 characters (spec 4.0.1, 7, 8)`, async (workspace) => {
    for (const key of ["", "k".repeat(256), "k".repeat(4000)]) {
      for (const body of [workspace.body, {}, "no json"]) {
        assertError(await send(workspace.key, body, key), "invalid_idempotency_key");
      }
    }
    assert.deepEqual(await made(workspace), { records: 0, events: 0 });
    for (const key of ["k", "k".repeat(255)]) {
      assert.equal((await send(workspace.key, workspace.body, key)).status, 201);
    }
  });

  test(`${title}: scope and rate limit come before the Idempotency-Key (spec 4.0.1)`, async (workspace) => {
    assert.equal((await send(workspace.key, workspace.body, "one")).status, 201);
    const { key } = await makeKey(sql, workspace.id, { scopes: ["nothing:read"] });
    for (const body of [workspace.body, "no json"]) {
      assertError(await send(key, body, "one"), "insufficient_scope");
    }
    await sql`update crm.workspaces set rate_limit_per_minute = 1 where id = ${workspace.id}`;
    for (const body of [workspace.body, "no json"]) {
      assertError(await send(workspace.key, body, "one"), "rate_limited");
    }
  });

  test(`${title}: an Idempotency-Key is free at once when the process that used it is killed`, async (workspace) => {
    const original = openDatabase();
    await begin(original, workspace, "one");
    const [backend] = await original`select pg_backend_pid() as pid`;
    const [killed] = await sql`select pg_terminate_backend(${backend!["pid"]}, 5000) as gone`;
    assert.equal(killed!["gone"], true);
    assert.equal((await send(workspace.key, workspace.body, "one")).status, 201);
    assert.deepEqual(await made(workspace), { records: 1, events: eventsOfEach });
    await original.end({ timeout: 0 });
  });

  test(`${title}: of 24 simultaneous equal calls one creates, and the others get 200, 409 or, after too long a wait, 503 (spec 4.0.1)`, async (workspace) => {
    const second = await makeKey(sql, workspace.id);
    const keys = [workspace.key, second.key];
    const replies = await Promise.all(
      Array.from({ length: 24 }, (_, i) => send(keys[i % 2]!, workspace.body, "one")),
    );
    const count = (status: number) => replies.filter((reply) => reply.status === status).length;
    assert.equal(count(201), 1);
    // On a busy machine a call that waits too long for its workspace's connections gets 503.
    assert.equal(count(200) + count(409) + count(503), 23);
    const texts = new Set(replies.filter(({ status }) => status < 300).map(({ text }) => text));
    assert.equal(texts.size, 1);
    for (const reply of replies) {
      if (reply.status === 409) assertError(reply, "idempotency_in_progress");
    }
    assert.equal((await send(workspace.key, workspace.body, "one")).status, 200);
    assert.deepEqual(await made(workspace), { records: 1, events: eventsOfEach });
  });

  test(`${title}: the API keys of one workspace share Idempotency-Keys, and two workspaces share none`, async (workspace) => {
    const { workspace: other, deal } = await makeWorkspaceWithDeal(sql);
    const second = await makeKey(sql, workspace.id);
    const first = await send(workspace.key, workspace.body, "one");
    const again = await send(second.key, workspace.body, "one");
    assert.deepEqual([again.status, again.text], [200, first.text]);
    assertError(await send(second.key, { ...workspace.body, name: "B" }, "one"), "idempotency_conflict");
    const elsewhere = await send(other.key, bodyFor(deal), "one");
    assert.equal(elsewhere.status, 201);
    assert.notEqual(idOf(elsewhere), idOf(first));
  });

  test(`${title} remembers an Idempotency-Key for 24 hours, and treats it as new afterwards (spec 4.0.1, 8)`, async (workspace) => {
    const first = await send(workspace.key, workspace.body, "one");
    const age = (seconds: number) =>
      sql`update crm.idempotency_keys set created_at = now() - make_interval(secs => ${seconds})
        where workspace_id = ${workspace.id}`;
    await age(24 * HOUR - 60);
    assert.equal((await send(workspace.key, workspace.body, "one")).text, first.text);
    await age(24 * HOUR + 1);
    const other = { ...workspace.body, name: "B" };
    const renewed = await send(workspace.key, other, "one");
    assert.equal(renewed.status, 201);
    assert.notEqual(idOf(renewed), idOf(first));
    assert.equal((await send(workspace.key, other, "one")).text, renewed.text);
    assertError(await send(workspace.key, workspace.body, "one"), "idempotency_conflict");
  });
}
