// What an attacker who had the password of the functions' role, or could run SQL as it, would try.
import assert from "node:assert/strict";
import type { TransactionSql } from "postgres";
import { openSql } from "../../../run/local/sql.ts";
import { refusalOf } from "../../support/rights.ts";
import { type Scenario, test as testScenario } from "../../support/scenario.ts";
import { functionsDatabaseUrl } from "../../support/stack.ts";

/** Registers a test that gets a transaction of crm_functions. */
function test(title: string, run: (functions: TransactionSql, scenario: Scenario) => Promise<void>) {
  testScenario(title, async (scenario) => {
    const functions = openSql(functionsDatabaseUrl, { max: 1 });
    try {
      await functions.begin((functions) => run(functions, scenario));
    } finally {
      await functions.end();
    }
  });
}

/** Asserts that every statement is refused because the role lacks the right. */
async function refuseAll(sql: TransactionSql, statements: string[]): Promise<void> {
  for (const statement of statements) {
    const refusal = await refusalOf(sql, statement);
    assert.equal(refusal?.code, "42501", `${statement}: ${refusal?.message ?? "executed"}`);
  }
}

testScenario("the functions connect as crm_functions", async ({ sql, api }) => {
  await api.get("/api-v1-pipelines");
  const users = await sql`select distinct usename from pg_stat_activity where application_name = 'crm-api'`;
  assert.deepEqual(users.map(({ usename }) => usename), ["crm_functions"]);
});

test("crm_functions cannot become another role (spec 1)", async (functions) => {
  await refuseAll(functions, [
    "set role postgres",
    "set role crm_api",
    "set role supabase_admin",
    "set session authorization postgres",
    "grant crm_api to crm_functions",
    "grant pg_read_all_data to crm_functions",
    "alter role crm_functions createrole",
    "alter role crm_functions superuser",
    "alter role crm_functions bypassrls",
    "alter role postgres password 'x'",
    "create role mine login",
  ]);
  assert.equal((await functions`select current_user as who`)[0]!["who"], "crm_functions");
});

test(
  "crm_functions reads and writes no table of ours, whatever the current workspace is (spec 1)",
  async (functions, { sql, workspace }) => {
    const tables = await sql<{ name: string; column: string }[]>`
    select c.oid::regclass::text as name, a.attname as column from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum = 1
    where c.relnamespace = 'crm'::regnamespace and c.relkind in ('r', 'p')`;
    assert.ok(tables.length > 20);
    await functions`select set_config('app.workspace_id', ${workspace.id}, true)`;
    for (const { name, column } of tables) {
      await refuseAll(functions, [
        `select * from ${name}`,
        `select count(*) from ${name}`,
        `insert into ${name} default values`,
        `update ${name} set ${column} = ${column}`,
        `delete from ${name}`,
        `truncate ${name}`,
        `copy ${name} to stdout`,
      ]);
    }
    await refuseAll(functions, [
      "select * from supabase_migrations.schema_migrations",
      "select * from pg_authid",
    ]);
  },
);

test("crm_functions creates and changes nothing in any schema", async (functions) => {
  for (const schema of ["crm", "api", "app", "public", "extensions", "pg_temp", "pg_catalog"]) {
    await refuseAll(functions, [
      `create table ${schema}.mine (id integer)`,
      `create view ${schema}.mine as select 1`,
      `create sequence ${schema}.mine`,
      `create function ${schema}.mine() returns integer language sql as 'select 1'`,
      `create type ${schema}.mine as enum ('a')`,
    ]);
  }
  await refuseAll(functions, [
    "create temporary table mine (id integer)",
    // The domain would replace the type `text` in security definer functions, and run its check as their owner.
    "create domain pg_temp.text as pg_catalog.text check (true)",
    "create schema mine",
    "create extension dblink",
    "create extension postgres_fdw",
    "create extension plperlu",
    "alter function api.call(bytea, text, text, jsonb, text, bytea) security invoker",
    "drop function api.call(bytea, text, text, jsonb, text, bytea)",
    "alter database postgres set search_path = public",
  ]);
});

test(
  "crm_functions reaches no file, program, other server or other session",
  async (functions, { sql }) => {
    const [{ pid }] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`;
    await refuseAll(functions, [
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
    ]);
    for (const call of ["dblink('', '')", "dblink_connect('')"]) {
      assert.equal((await refusalOf(functions, `select ${call}`))?.code, "42883", "dblink is not installed");
    }
    assert.deepEqual(await hiddenQueries(functions, pid), ["<insufficient privilege>"]);
  },
);

test("crm_functions cannot read a large object of another role", async (functions, { sql }) => {
  const [{ oid }] = await sql<[{ oid: number }]>`select lo_from_bytea(0, 'secret') as oid`;
  try {
    await refuseAll(functions, [
      `select lo_get(${oid})`,
      `select lo_put(${oid}, 0, 'x')`,
      `select lo_unlink(${oid})`,
      "select * from pg_largeobject",
    ]);
  } finally {
    await sql`select lo_unlink(${oid})`;
  }
});

async function hiddenQueries(sql: TransactionSql, pid: number): Promise<string[]> {
  const rows = await sql<{ query: string }[]>`select query from pg_stat_activity where pid = ${pid}`;
  return rows.map(({ query }) => query);
}
