// What an attacker who could run SQL as the role of the verbs would try on another workspace.
import assert from "node:assert/strict";
import type { Sql, TransactionSql } from "postgres";
import { client } from "../../support/client.ts";
import { makeKey, makeWorkspaceWithDeal } from "../../support/fixtures.ts";
import { openMailbox } from "../../support/mailbox.ts";
import { refusalOf } from "../../support/rights.ts";
import { rolledBack } from "../../support/transactions.ts";
import { type Scenario, test } from "../../support/scenario.ts";
import { subscribe } from "../../support/webhooks.ts";
import { hashCredential } from "../../../supabase/functions/_shared/contract/credentials.ts";

/** Runs `work` as crm_api with this workspace as the current one, and undoes it. */
async function asCrmApi(
  sql: Sql,
  workspaceId: string,
  work: (sql: TransactionSql) => Promise<void>,
): Promise<void> {
  await rolledBack(sql, async (sql) => {
    await sql`set local role crm_api`;
    await sql`select set_config('app.workspace_id', ${workspaceId}, true)`;
    await work(sql);
  });
}

/** Tries each statement as crm_api, in its own workspace and in the other one; asserts that all are refused. */
async function refuseAll({ sql, workspace }: Scenario, otherId: string, statements: string[]): Promise<void> {
  for (const current of [workspace.id, otherId]) {
    await asCrmApi(sql, current, async (sql) => {
      for (const statement of statements) {
        const refusal = await refusalOf(sql, statement);
        assert.match(refusal?.message ?? "executed", /^permission denied/, statement);
      }
    });
  }
}

test("crm_api cannot forge an event of another workspace, or one without a write (spec 1)", async (scenario) => {
  const { workspace, deal } = await makeWorkspaceWithDeal(scenario.sql);
  const { id } = workspace;
  await refuseAll(scenario, id, [
    `select crm.emit('${id}', 'deal.won', '${deal.id}')`,
    `select crm.emit('${id}', 'lead.received', '${deal.id}', '{}')`,
    `insert into crm.events (workspace_id, event, object_id, facts) values ('${id}', 'deal.won', '${deal.id}', '{}')`,
    `insert into crm.webhook_deliveries (workspace_id, event_id, subscription_id) values ('${id}', '${id}', '${id}')`,
    "select crm.emit_stale_deals()",
    "select crm.emit_overdue_activities()",
    // A trigger made by the attacker would call the functions that emit events.
    "create trigger mine after insert on crm.notes for each row execute function crm.emit_created('deal.won')",
    "create temporary table mine (workspace_id uuid, id uuid)",
  ]);
  // The row belongs to another workspace than the current one, so no trigger fires.
  await asCrmApi(scenario.sql, scenario.workspace.id, async (sql) => {
    const row =
      `insert into crm.contacts (workspace_id, name, owner_id) values ('${id}', 'Ana', '${workspace.memberId}')`;
    assert.match((await refusalOf(sql, row))!.message, /violates row-level security policy/);
    await sql.unsafe(`update crm.deals set status = 'ganho' where id = '${deal.id}'`);
  });
  // Statements that a verb may run in its own workspace must fail in another one.
  const { id: subscription } = await subscribe(workspace.key, openMailbox().url, ["deal.won"]);
  for (
    const statement of [
      `select crm.send_test_event('${id}', '${subscription}')`,
      `select crm.redeliver('${id}', '${subscription}')`,
      `select crm.reactivate_subscription('${id}', '${subscription}')`,
      `select crm.recover_deliveries('${id}', '${subscription}', '2026-01-01', null)`,
      `select crm.rotate_secret('${id}', '${subscription}', '\\x00', 0)`,
      `select crm.makers_of_subscriptions('${id}', '{}')`,
    ]
  ) {
    await asCrmApi(scenario.sql, scenario.workspace.id, async (sql) => {
      const refusal = await refusalOf(sql, statement);
      assert.match(refusal?.message ?? "executed", /is not that of the caller$/, statement);
      for (const table of ["events", "webhook_deliveries", "webhook_attempts", "webhook_subscriptions"]) {
        const [row] = await sql.unsafe(
          `select count(*)::int as n from crm.${table} where workspace_id = '${id}'`,
        );
        assert.equal(row!["n"], 0, table);
      }
    });
  }
  const events = await scenario.sql<{ event: string }[]>`
    select event from crm.events where workspace_id = ${id} order by event::text`;
  assert.deepEqual(events.map(({ event }) => event), ["contact.created", "deal.created", "lead.received"]);
});

test("crm_api cannot read, plant or erase a stored reply (spec 1)", async (scenario) => {
  const { workspace: { id, key, memberId } } = await makeWorkspaceWithDeal(scenario.sql);
  const post = () => client(key).post("/api-v1-contacts", { name: "Ana" }, { "Idempotency-Key": "k" });
  const first = await post();
  await refuseAll(scenario, id, [
    `select crm.idempotency_begin('${id}', 'k', '\\x00')`,
    `select crm.idempotency_remember('${id}', 'k', '\\x00', '{"id": "${memberId}"}', false)`,
    `select * from crm.idempotency_keys`,
    `insert into crm.idempotency_keys (workspace_id, key, request_hash, body) values ('${id}', 'other', '\\x00', '{}')`,
    `update crm.idempotency_keys set body = '{}'`,
    `delete from crm.idempotency_keys`,
  ]);
  assert.deepEqual((await post()).body, first.body);
});

test("crm_api cannot fill or empty the limit of a key, or learn whose key it is (spec 1)", async (scenario) => {
  const { sql } = scenario;
  const { workspace: { id } } = await makeWorkspaceWithDeal(sql);
  const { id: keyId, key } = await makeKey(sql, id);
  await client(key).get("/api-v1-pipelines");
  const hits = async () =>
    (await sql`select hits from crm.rate_limits where key_id = ${keyId}`).map((row) => ({ ...row }));
  const before = await hits();
  assert.equal(before.length, 1);
  await refuseAll(scenario, id, [
    `select crm.admit('${keyId}', 100000)`,
    `select crm.is_call_in_progress('${keyId}')`,
    `select * from crm.rate_limits`,
    `insert into crm.rate_limits (key_id, hits) values ('${keyId}', '{}') on conflict (key_id) do update set hits = '{}'`,
    `update crm.rate_limits set hits = '{}'`,
    `delete from crm.rate_limits`,
    `truncate crm.rate_limits`,
    `select crm.identify('\\x${hashCredential(key)}')`,
    `select * from api.call('\\x${hashCredential(key)}', null, null, '{}', null, null)`,
    `select prefix from crm.api_keys`,
    `select hash from crm.key_secrets`,
    `select * from crm.key_calls`,
    `select crm.drain_calls()`,
    `select * from crm.workspaces`,
  ]);
  assert.deepEqual(await hits(), before);
});

test("crm.run_verb, altered by its owner crm_api to run with other rights, runs no verb", async ({ sql, workspace }) => {
  const call = (sql: Sql | TransactionSql) =>
    sql<{ error_code: string | null }[]>`
      select error_code from api.call(sha256(${workspace.key}::text::bytea), 'pipelines:read', 'pipeline_list', '{}', null, null)`;
  assert.equal((await call(sql))[0]!.error_code, null);
  await asCrmApi(sql, workspace.id, async (sql) => {
    await sql`alter function crm.run_verb(text, jsonb) security invoker`;
    await sql`reset role`;
    assert.equal((await call(sql))[0]!.error_code, "internal_error");
    await sql`set local role crm_api`;
    for (
      const statement of [
        "create or replace function crm.run_verb(text, jsonb) returns json language sql as 'select null'",
        "alter function crm.run_verb(text, jsonb) rename to mine",
        "alter function crm.run_verb(text, jsonb) owner to postgres",
      ]
    ) {
      assert.match(
        (await refusalOf(sql, statement))?.message ?? "executed",
        /^(permission denied|must be)/,
        statement,
      );
    }
  });
});
