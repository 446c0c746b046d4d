// Revoking a key ends the webhook subscriptions that were created with it.
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { operate } from "../../run/operator/operator.ts";
import { assertError, client } from "../support/client.ts";
import { makeKey, makeWorkspace } from "../support/fixtures.ts";
import { eventually } from "../support/mailbox.ts";
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

test("key revoke ends the active subscriptions that the key created, and names them", async ({ sql, workspace, api }) => {
  const { id, key } = await makeKey(sql, workspace.id);
  const first = await subscribe(key, `${TARGET}/1`, ["deal.won"]);
  const deleted = await subscribe(key, `${TARGET}/2`, ["deal.won"]);
  await client(key).delete(`${WEBHOOKS}/${deleted.id}`);
  const second = await subscribe(key, `${TARGET}/3`, ["deal.lost"]);
  const ofAnotherKey = await subscribe(workspace.key, TARGET, ["deal.won"]);
  const elsewhere = await makeWorkspace(sql);
  const ofAnotherWorkspace = await subscribe(elsewhere.key, TARGET, ["deal.won"]);

  const { revoked_at: _, ...revoked } = await json("key", "revoke", id);
  assert.deepEqual(
    [revoked.id, revoked.state, revoked.active_webhooks, revoked.was_revoked, revoked.kept_subscriptions],
    [id, "revoked", 0, false, []],
  );
  assert.deepEqual(revoked.ended_subscriptions, [
    { id: first.id, target_url: `${TARGET}/1` },
    { id: second.id, target_url: `${TARGET}/3` },
  ]);
  assert.deepEqual(await activeIds(sql, workspace.id), [ofAnotherKey.id]);
  assert.deepEqual(await activeIds(sql, elsewhere.id), [ofAnotherWorkspace.id]);
  assert.equal((await api.get(WEBHOOKS)).body.data.length, 4, "history is kept");
});

test("key revoke --keep-webhooks leaves the key's subscriptions active, and a later revoke without the option ends them", async ({ sql, workspace }) => {
  const { id, key } = await makeKey(sql, workspace.id);
  const made = await subscribe(key, TARGET, ["deal.won"]);
  const kept = await json("key", "revoke", id, "--keep-webhooks");
  assert.deepEqual(kept.ended_subscriptions, []);
  assert.deepEqual(kept.kept_subscriptions, [{ id: made.id, target_url: TARGET }]);
  assertError(await client(key).get(WEBHOOKS), "revoked_api_key");
  const again = `Key ${id} was already revoked at ${kept.revoked_at}`;
  const listed = (what: string) =>
    new RegExp(`^${again}\nThese .* ${what}:\n\nID .*\n${made.id}  ${TARGET}\n$`);
  assert.match(await say("key", "revoke", id, "--keep-webhooks"), listed("are kept"));
  assert.deepEqual(await activeIds(sql, workspace.id), [made.id]);

  assert.match(await say("key", "revoke", id), listed("have ended"));
  assert.deepEqual(await activeIds(sql, workspace.id), []);
  assert.equal(await say("key", "revoke", id), `${again}\nIt had no active webhook subscription\n`);
});

/** Calls a verb as the functions do, through api.call, in the transaction of `sql`. */
async function callVerb(sql: Sql, key: string, verb: string, args: Record<string, string | string[]>) {
  const [reply] = await sql<[{ error_code: string | null }]>`
    select error_code from api.call(
      sha256(${key}::text::bytea), 'webhooks:manage', ${verb}, ${sql.json(args)}::jsonb, null, null
    )`;
  return reply.error_code;
}

const createSubscription = (sql: Sql, key: string) =>
  callVerb(sql, key, "webhook_create", {
    id: crypto.randomUUID(),
    event_types: ["deal.won"],
    target_url: TARGET,
    encrypted_secret: "AAAA",
  });

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

test("A subscription that is being created when its key is revoked ends with the key", async ({ sql, workspace }) => {
  const { id, key } = await makeKey(sql, workspace.id);
  const revoked = await inTurn(
    sql,
    async (sql) => assert.equal(await createSubscription(sql, key), null),
    (sql) => operate(sql, "key_revoke", { workspace_id: workspace.id, id }),
  );
  assert.deepEqual(revoked.ended_subscriptions.map(({ target_url }) => target_url), [TARGET]);
  assert.deepEqual(await activeIds(sql, workspace.id), []);
});

test("A call that creates a subscription or reactivates a deleted one is refused if its key is revoked meanwhile", async ({ sql, workspace }) => {
  for (const isNew of [true, false]) {
    const { id, key } = await makeKey(sql, workspace.id);
    const deleted = await subscribe(key, TARGET, ["deal.won"]);
    await client(key).delete(`${WEBHOOKS}/${deleted.id}`);
    const code = await inTurn(
      sql,
      (sql) => operate(sql, "key_revoke", { workspace_id: workspace.id, id }),
      (sql) =>
        isNew ? createSubscription(sql, key) : callVerb(sql, key, "webhook_reactivate", { id: deleted.id }),
    );
    assert.equal(code, "revoked_api_key");
    assert.deepEqual(await activeIds(sql, workspace.id), []);
  }
});
