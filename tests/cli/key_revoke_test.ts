// Revoking a key ends the webhook subscriptions that were created with it.
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { operate } from "../../run/operator/operator.ts";
import { assertError, client } from "../support/client.ts";
import { makeKey, makeWorkspace } from "../support/fixtures.ts";
import { eventually, openMailbox } from "../support/mailbox.ts";
import { test } from "../support/scenario.ts";
import { openDatabase } from "../support/stack.ts";
import { subscribe, WEBHOOKS } from "../support/webhooks.ts";
import { json, say } from "./crm.ts";

const TARGET = "https://hooks.example.com/crm";

async function activeIds(sql: Sql, workspaceId: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from crm.webhook_subscriptions where workspace_id = ${workspaceId} and is_active order by id`;
  return rows.map(({ id }) => id);
}

test("key revoke ends the active subscriptions that the key made, and names them", async ({ sql, workspace, api }) => {
  const { id, key } = await makeKey(sql, workspace.id);
  const first = await subscribe(key, `${TARGET}/1`, ["deal.won"]);
  const deleted = await subscribe(key, `${TARGET}/2`, ["deal.won"]);
  await client(key).delete(`${WEBHOOKS}/${deleted.id}`);
  const second = await subscribe(key, `${TARGET}/3`, ["deal.lost"]);
  const ofAnotherKey = await subscribe(workspace.key, TARGET, ["deal.won"]);
  const elsewhere = await makeWorkspace(sql);
  const ofAnotherWorkspace = await subscribe(elsewhere.key, TARGET, ["deal.won"]);

  const revoked = await json("key", "revoke", id);
  assert.equal(revoked.id, id);
  assert.equal(revoked.state, "revoked");
  assert.equal(revoked.active_webhooks, 0);
  assert.equal(revoked.was_revoked, false);
  assert.deepEqual(revoked.kept_subscriptions, []);
  assert.deepEqual(revoked.ended_subscriptions, [
    { id: first.id, target_url: `${TARGET}/1` },
    { id: second.id, target_url: `${TARGET}/3` },
  ]);
  assert.deepEqual(await activeIds(sql, workspace.id), [ofAnotherKey.id]);
  assert.deepEqual(await activeIds(sql, elsewhere.id), [ofAnotherWorkspace.id]);
  const { body } = await api.get(WEBHOOKS);
  assert.equal(body.data.length, 4, "history is kept");
  assert.deepEqual(
    await json("key", "revoke", id),
    { ...revoked, was_revoked: true, ended_subscriptions: [] },
    "a second time changes nothing",
  );
});

test("A subscription that ended with its key gets no more deliveries", async ({ sql, workspace, newDeal, api }) => {
  const { id, key } = await makeKey(sql, workspace.id);
  const ended = openMailbox();
  const kept = openMailbox();
  await subscribe(key, ended.url, ["deal.won"]);
  await subscribe(workspace.key, kept.url, ["deal.won"]);
  await say("key", "revoke", id);
  await api.post(`/api-v1-deals/${(await newDeal()).id}/win`);
  await kept.waitFor(1);
  const deliveries = await sql`
    select from crm.webhook_deliveries d join crm.webhook_subscriptions s on s.id = d.subscription_id
    where s.workspace_id = ${workspace.id} and s.target_url = ${ended.url}`;
  assert.equal(deliveries.length, 0);
});

test("key revoke --keep-webhooks leaves them active, and a later revoke without it ends them", async ({ sql, workspace }) => {
  const { id, key } = await makeKey(sql, workspace.id);
  const made = await subscribe(key, TARGET, ["deal.won"]);
  const kept = await json("key", "revoke", id, "--keep-webhooks");
  assert.deepEqual(kept.ended_subscriptions, []);
  assert.deepEqual(kept.kept_subscriptions, [{ id: made.id, target_url: TARGET }]);
  assertError(await client(key).get(WEBHOOKS), "revoked_api_key");
  assert.deepEqual(await activeIds(sql, workspace.id), [made.id]);
  assert.match(
    await say("key", "revoke", id, "--keep-webhooks"),
    new RegExp(
      `^Key ${id} was already revoked at ${kept.revoked_at}\nThese .* are kept:\n\nID .*\n${made.id}  ${TARGET}\n$`,
    ),
  );

  const text = await say("key", "revoke", id);
  assert.match(
    text,
    new RegExp(`^Key ${id} was already revoked at ${kept.revoked_at}\nThese .* have ended:\n\nID `),
  );
  assert.match(text, new RegExp(`^${made.id}  ${TARGET}$`, "m"));
  assert.deepEqual(await activeIds(sql, workspace.id), []);
  const other = await makeKey(sql, workspace.id);
  assert.match(
    await say("key", "revoke", other.id),
    /^Key \S+ revoked at \S+\nIt had no active webhook subscription\n$/,
  );
  assert.match(await say("key", "revoke", id), /\nIt had no active webhook subscription\n$/);
});

/** Calls a verb as the functions do, through api.call, in the transaction of `sql`. */
function callVerb(sql: Sql, key: string, verb: string, args: Record<string, string | string[]>) {
  return sql<{ error_code: string | null }[]>`
    select error_code from api.call(
      sha256(${key}::text::bytea), 'webhooks:manage', ${verb}, ${sql.json(args)}::jsonb, null, null
    )`;
}

function createSubscription(sql: Sql, key: string) {
  return callVerb(sql, key, "webhook_create", {
    id: crypto.randomUUID(),
    event_types: ["deal.won"],
    target_url: TARGET,
    encrypted_secret: "AAAA",
  });
}

/**
 * Runs `first` in a transaction on another connection, and meanwhile `second` on `sql`. The transaction commits once
 * `second` waits for it.
 */
async function inTurn<Result>(
  sql: Sql,
  first: (sql: Sql) => Promise<unknown>,
  second: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  await using other = openDatabase();
  const [{ pid }] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`;
  let result!: Promise<Result>;
  await other.begin(async (transaction) => {
    await first(transaction as unknown as Sql);
    result = second(sql);
    await eventually(async () => {
      const [row] = await transaction`select cardinality(pg_blocking_pids(${pid})) > 0 as waits`;
      return row!["waits"];
    }, "the second call to wait for the first");
  });
  return await result;
}

test("A subscription whose creation is not finished when its key is revoked ends with the key", async ({ sql, workspace }) => {
  const { id, key } = await makeKey(sql, workspace.id);
  const revoked = await inTurn(
    sql,
    async (sql) => assert.equal((await createSubscription(sql, key))[0]!.error_code, null),
    (sql) => operate(sql, "key_revoke", { workspace_id: workspace.id, id }),
  );
  assert.deepEqual(revoked.ended_subscriptions.map(({ target_url }) => target_url), [TARGET]);
  assert.deepEqual(await activeIds(sql, workspace.id), []);
});

test("A key that is revoked while it creates a subscription creates none", async ({ sql, workspace }) => {
  const { id, key } = await makeKey(sql, workspace.id);
  const [reply] = await inTurn(
    sql,
    (sql) => operate(sql, "key_revoke", { workspace_id: workspace.id, id }),
    (sql) => createSubscription(sql, key).then((rows) => rows),
  );
  assert.equal(reply!.error_code, "revoked_api_key");
  assert.deepEqual(await activeIds(sql, workspace.id), []);
});

test("A key that is revoked while it reactivates what it had deleted revives nothing", async ({ sql, workspace }) => {
  const { id, key } = await makeKey(sql, workspace.id);
  const deleted = await subscribe(key, TARGET, ["deal.won"]);
  await client(key).delete(`${WEBHOOKS}/${deleted.id}`);
  const [reply] = await inTurn(
    sql,
    (sql) => operate(sql, "key_revoke", { workspace_id: workspace.id, id }),
    (sql) => callVerb(sql, key, "webhook_reactivate", { id: deleted.id }).then((rows) => rows),
  );
  assert.equal(reply!.error_code, "revoked_api_key");
  assert.deepEqual(await activeIds(sql, workspace.id), []);
});
