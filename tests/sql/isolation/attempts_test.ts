// Attacks by somebody who can run SQL as one of our roles. crm_api and crm_app run the verbs; the functions connect as
// crm_functions. rights_test.ts compares the roles' rights on every table and function with those that are used.
import assert from "node:assert/strict";
import type { Sql, TransactionSql } from "postgres";
import { openSql } from "../../../run/local/sql.ts";
import { hashCredential } from "../../../supabase/functions/_shared/contract/credentials.ts";
import { client } from "../../support/client.ts";
import { makeKey, makeWorkspaceWithDeal } from "../../support/fixtures.ts";
import { openMailbox } from "../../support/mailbox.ts";
import { test } from "../../support/scenario.ts";
import { signIn } from "../../support/sessions.ts";
import { functionsDatabaseUrl } from "../../support/stack.ts";
import { actAs, rolledBack } from "../../support/transactions.ts";
import { subscribe } from "../../support/webhooks.ts";

/** Runs a statement and undoes it; returns its error, or null. */
async function refusalOf(
  sql: TransactionSql,
  statement: string,
): Promise<{ code: string; message: string } | null> {
  const undo = new Error("undone");
  try {
    await sql.savepoint(async (sql) => {
      await sql.unsafe(statement);
      throw undo;
    });
  } catch (error) {
    return error === undo ? null : error as { code: string; message: string };
  }
  return null;
}

/** Asserts that every statement is refused for the given reason, by default that the role lacks the right. */
async function refuseAll(sql: TransactionSql, statements: string[], reason = /^permission denied/) {
  for (const statement of statements) {
    assert.match((await refusalOf(sql, statement))?.message ?? "executed", reason, statement);
  }
}

/** Runs `work` in a workspace as a role that runs verbs, and rolls it back. */
const as = (
  role: "crm_api" | "crm_app",
  sql: Sql,
  workspaceId: string,
  work: (sql: TransactionSql) => Promise<void>,
) =>
  rolledBack(sql, async (sql) => {
    await actAs(sql, role, workspaceId);
    await work(sql);
  });

test("crm_api forges no event, no delivery, no stored reply and no rate limit, in its own workspace or another's (spec 1)", async ({ sql, workspace: own }) => {
  const { workspace: { id, key, memberId }, deal } = await makeWorkspaceWithDeal(sql);
  const post = () => client(key).post("/api-v1-contacts", { name: "Ana" }, { "Idempotency-Key": "k" });
  const first = await post();
  const { id: keyId } = await makeKey(sql, id);
  const hash = `'\\x${hashCredential(key)}'`;
  const untouched = async () =>
    [
      await sql`select event::text, object_id from crm.events where workspace_id = ${id} order by id`,
      await sql`select hits from crm.rate_limits r join crm.api_keys k on k.id = r.key_id where k.workspace_id = ${id}`,
    ].map((rows) => [...rows]);
  const before = await untouched();
  for (const current of [own.id, id]) {
    await as("crm_api", sql, current, async (sql) => {
      await refuseAll(sql, [
        `select crm.emit('${id}', 'deal.won', '${deal.id}')`,
        `insert into crm.events (workspace_id, event, object_id, facts) values ('${id}', 'deal.won', '${deal.id}', '{}')`,
        `insert into crm.webhook_deliveries (workspace_id, event_id, subscription_id) values ('${id}', '${id}', '${id}')`,
        // A trigger made by the attacker would call the functions that emit events.
        "create trigger mine after insert on crm.notes for each row execute function crm.emit_event('deal.won')",
        "create temporary table mine (workspace_id uuid, id uuid)",
        `insert into crm.idempotency_keys (workspace_id, key, request_hash, body)
         values ('${id}', 'k', '\\x00', '{"id": "${memberId}"}')`,
        "select * from crm.idempotency_keys",
        "update crm.idempotency_keys set body = '{}'",
        `select crm.admit('${keyId}', 100000)`,
        `insert into crm.rate_limits (key_id, hits) values ('${keyId}', '{}')`,
        "update crm.rate_limits set hits = '{}'",
        "truncate crm.rate_limits",
        `select crm.identify(${hash})`,
        `select * from api.call(${hash}, null, null, '{}', null, null)`,
      ]);
    });
  }
  assert.deepEqual(await untouched(), before);
  assert.deepEqual((await post()).body, first.body);
});

test("crm_api writes no row of another workspace: what a verb may do in its own workspace fails there (spec 1)", async ({ sql, workspace: own }) => {
  const { workspace: { id, key, memberId }, deal } = await makeWorkspaceWithDeal(sql);
  const { id: subscription } = await subscribe(key, openMailbox().url, ["deal.won"]);
  await as("crm_api", sql, own.id, async (sql) => {
    const row =
      `insert into crm.contacts (workspace_id, name, owner_id) values ('${id}', 'Ana', '${memberId}')`;
    await refuseAll(sql, [row], /violates row-level security policy/);
    const changed = await sql.unsafe(
      `update crm.deals set status = 'ganho' where id = '${deal.id}' returning id`,
    );
    assert.equal(changed.length, 0);
    await refuseAll(sql, [
      `select crm.send_test_event('${id}', '${subscription}')`,
      `select crm.redeliver('${id}', '${subscription}', '{}')`,
      `select crm.reactivate_subscription('${id}', '${subscription}')`,
      `select crm.recover_deliveries('${id}', '${subscription}', '2026-01-01', null)`,
      `select crm.rotate_secret('${id}', '${subscription}', '\\x00', 0)`,
      `select crm.makers_of_subscriptions('${id}', '{}')`,
    ], /is not the caller's$/);
  });
});

test("crm.run_verb, altered by its owner crm_api to run with other rights, runs no verb", async ({ sql, workspace }) => {
  const call = (sql: Sql | TransactionSql) =>
    sql<{ error_code: string | null }[]>`
      select error_code from api.call(sha256(${workspace.key}::text::bytea), 'pipelines:read', 'pipeline_list', '{}', null, null)`;
  assert.equal((await call(sql))[0]!.error_code, null);
  await as("crm_api", sql, workspace.id, async (sql) => {
    await sql`alter function crm.run_verb(text, jsonb) security invoker`;
    await sql`reset role`;
    assert.equal((await call(sql))[0]!.error_code, "internal_error");
    await sql`set local role crm_api`;
    await refuseAll(sql, [
      "create or replace function crm.run_verb(text, jsonb) returns json language sql as 'select null'",
      "alter function crm.run_verb(text, jsonb) rename to mine",
      "alter function crm.run_verb(text, jsonb) owner to postgres",
    ], /^(permission denied|must be)/);
  });
});

for (const role of ["crm_api", "crm_app"] as const) {
  test(`${role} reads no row of another workspace, in any table that it may use`, async ({ sql, workspace: mine }) => {
    const { workspace: theirs } = await makeWorkspaceWithDeal(sql);
    const tables = await sql<{ name: string; column: string }[]>`
      select c.oid::regclass::text as name, case c.relname when 'workspaces' then 'id' else 'workspace_id' end as column
      from pg_class c
      where c.relnamespace = 'crm'::regnamespace and c.relkind in ('r', 'p')
        and c.relname not in ('event_types', 'rate_limits', 'search_progress')
        and has_any_column_privilege(${role}, c.oid, 'select')`;
    assert.ok(tables.length >= 5);
    await as(role, sql, mine.id, async (sql) => {
      for (const { name, column } of tables) {
        const rows = await sql.unsafe(`select ${column} from ${name} where ${column} = '${theirs.id}'`);
        assert.equal(rows.length, 0, name);
      }
    });
  });
}

test("crm_app sees only the rate limits of its workspace's keys, reads no hash or secret, forges nothing, and calls no operator verb", async ({ sql, workspace: { id } }) => {
  const { workspace: theirs, deal } = await makeWorkspaceWithDeal(sql);
  const [{ id: ownKey }, { id: theirKey }] = [await makeKey(sql, id), await makeKey(sql, theirs.id)];
  const { memberId } = await signIn(sql, id, "admin");
  const callers = [ownKey, theirKey, memberId];
  await sql`insert into crm.rate_limits (key_id, hits) select id, array[now()] from unnest(${callers}::uuid[]) id`;
  await as("crm_app", sql, id, async (sql) => {
    const limits = await sql`select key_id from crm.rate_limits where key_id = any (${callers}::uuid[])`;
    assert.deepEqual(limits.map((row) => row["key_id"]), [ownKey]);
    await refuseAll(sql, [
      "select hash from crm.key_secrets",
      "select secret from crm.webhook_secrets",
      "select * from crm.idempotency_keys",
      "update crm.rate_limits set hits = '{}'",
      "update crm.api_keys set scopes = '{}'",
      "select token_hash from crm.proposal_links",
      "update crm.proposals set accepted_at = now()",
      "update crm.proposals set value = 0",
      `select crm.emit('${id}', 'deal.won', '${deal.id}')`,
      `insert into crm.events (workspace_id, event, object_id, facts) values ('${id}', 'deal.won', '${deal.id}', '{}')`,
      "update crm.audit_log set action = 'x'",
      "update crm.workspaces set rate_limit_per_minute = 1000000",
      "update crm.workspaces set suspended = false",
      "select app.workspace_list('{}')",
      "select app.subscription_read_secret('{}')",
      "select app.call(null, null, null, null, null, null)",
      "select * from auth.users",
    ]);
  });
});

test("The functions connect as crm_functions, which becomes no other role, creates nothing, and reaches no table, file, program or other session (spec 1)", async ({ sql, api }) => {
  await api.get("/api-v1-pipelines");
  const users = await sql`select distinct usename from pg_stat_activity where application_name = 'crm-api'`;
  assert.deepEqual(users.map(({ usename }) => usename), ["crm_functions"]);
  const [{ pid, oid }] = await sql<[{ pid: number; oid: number }]>`
    select pg_backend_pid() as pid, lo_from_bytea(0, 'secret') as oid`;
  const functions = openSql(functionsDatabaseUrl, { max: 1 });
  const schemas = ["crm", "api", "app", "public", "extensions", "pg_temp", "pg_catalog"];
  const attempts = [
    ..."postgres crm_api supabase_admin".split(" ").map((role) => `set role ${role}`),
    "set session authorization postgres",
    "grant crm_api to crm_functions",
    "grant pg_read_all_data to crm_functions",
    ..."createrole superuser bypassrls".split(" ").map((right) => `alter role crm_functions ${right}`),
    "alter role postgres password 'x'",
    "create role mine login",
    ...schemas.flatMap((schema) => [
      `create table ${schema}.mine (id integer)`,
      `create view ${schema}.mine as select 1`,
      `create function ${schema}.mine() returns integer language sql as 'select 1'`,
      `create type ${schema}.mine as enum ('a')`,
    ]),
    "create temporary table mine (id integer)",
    // The domain would replace the type `text` in security definer functions, and run its check as their owner.
    "create domain pg_temp.text as pg_catalog.text check (true)",
    "create schema mine",
    ..."dblink postgres_fdw plperlu".split(" ").map((name) => `create extension ${name}`),
    "alter function api.call(bytea, text, text, jsonb, text, bytea, text) security invoker",
    "drop function api.call(bytea, text, text, jsonb, text, bytea, text)",
    "alter database postgres set search_path = public",
    "select * from supabase_migrations.schema_migrations",
    "select * from pg_authid",
    "copy crm.contacts to stdout",
    "select pg_read_file('postgresql.conf')",
    "select pg_read_binary_file('postgresql.conf')",
    "select pg_ls_dir('.')",
    "select pg_stat_file('postgresql.conf')",
    "select pg_current_logfile()",
    "select lo_import('/etc/hostname')",
    "select lo_export(1, '/tmp/mine')",
    "copy (select 1) to program 'true'",
    "copy (select 1) to '/tmp/mine'",
    `select pg_terminate_backend(${pid})`,
    `select pg_cancel_backend(${pid})`,
    "select pg_reload_conf()",
    "select pg_create_logical_replication_slot('mine', 'pgoutput')",
    `select lo_get(${oid})`,
    `select lo_put(${oid}, 0, 'x')`,
    `select lo_unlink(${oid})`,
    "select * from pg_largeobject",
  ];
  try {
    await functions.begin(async (functions) => {
      for (const statement of attempts) {
        const refusal = await refusalOf(functions, statement);
        assert.equal(refusal?.code, "42501", `${statement}: ${refusal?.message ?? "executed"}`);
      }
      assert.equal((await functions`select current_user as who`)[0]!["who"], "crm_functions");
      assert.equal(
        (await refusalOf(functions, "select dblink('', '')"))?.code,
        "42883",
        "it is not installed",
      );
      const [other] = await functions`select query from pg_stat_activity where pid = ${pid}`;
      assert.equal(other!["query"], "<insufficient privilege>");
    });
  } finally {
    await functions.end();
    await sql`select lo_unlink(${oid})`;
  }
});
