// Tests of what roles may do, by the catalogue. tests/sql/isolation runs them on Postgres 17, tests/postgres15 on 15.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Sql, TransactionSql } from "postgres";
import type { Query } from "../../tools/rights/catalogue.ts";
import { connect } from "../../bench/harness/world.ts";
import { filesOf } from "../../site/sizes.ts";
import { readVerbRights } from "../../tools/rights/verb_rights.ts";
import { rolledBack } from "./transactions.ts";

const FUNCTIONS = join(import.meta.dirname!, "../../supabase/functions");

/** Supabase's roles: anybody with the public key of a project acts as `anon`. */
const SUPABASE_ROLES = ["anon", "authenticated", "service_role"] as const;

/** The roles whose rights are tested. */
const ROLES = ["crm_api", "crm_app", "crm_functions", ...SUPABASE_ROLES] as const;

type Role = typeof ROLES[number];

/** Runs the queries of tools/rights on a client. */
const queryOf = (sql: Sql): Query => (text) => sql.unsafe(text);

/** Reads the functions that each role must be able to execute: only those that are called as this role. */
async function readExpected(sql: Sql): Promise<Record<Role, string[]>> {
  const functionsOf = async (role: "crm_api" | "crm_app") =>
    (await readVerbRights(queryOf(sql), role)).functions;
  const called = await readCalled();
  const signatures = await sql<{ signature: string }[]>`
    select p.oid::regprocedure::text as signature from pg_proc p
    where p.pronamespace::regnamespace || '.' || p.proname = any (${[...called]}) order by 1`;
  assert.equal(signatures.length, called.size, "each function that is called exists once");
  return {
    crm_api: await functionsOf("crm_api"),
    crm_app: await functionsOf("crm_app"),
    crm_functions: signatures.map(({ signature }) => signature),
    ...{ anon: [], authenticated: [], service_role: [] },
  };
}

/** The SQL functions that the edge functions call in their statements. */
async function readCalled(): Promise<Set<string>> {
  const called = new Set<string>();
  for await (const path of filesOf(FUNCTIONS)) {
    if (!path.endsWith(".ts")) continue;
    const source = await Deno.readTextFile(join(FUNCTIONS, path));
    const calls = source.matchAll(/\b(?:from|select|call)\s+((?:api|app|crm)\.\w+)\(/g);
    for (const [, found] of calls) called.add(found!);
  }
  return called;
}

/**
 * Runs `work` in a transaction that is rolled back. In it Supabase's roles exist, with the rights that Supabase gives
 * them in schema public. The roles belong to the whole cluster, so they must not outlive the test.
 */
async function withSupabaseRoles(sql: Sql, work: (sql: TransactionSql) => Promise<void>): Promise<void> {
  await rolledBack(sql, async (sql) => {
    for (const role of SUPABASE_ROLES) {
      await sql.unsafe(`
        create role ${role} nologin noinherit;
        grant ${role} to current_user;
        grant usage on schema public to ${role};
        alter default privileges in schema public grant all on tables to ${role};
        alter default privileges in schema public grant all on functions to ${role};
        alter default privileges in schema public grant all on sequences to ${role};`);
    }
    await work(sql);
  });
}

type Run = (sql: Sql, functionsDatabaseUrl: string) => Promise<void>;

/** Tests of the rights of every role: `run` gets the owner's client and the URL that connects as crm_functions. */
export const RIGHTS_CHECKS: { name: string; run: Run }[] = [];

const test = (name: string, run: Run) => RIGHTS_CHECKS.push({ name, run });

test("each role may execute exactly the functions that are called as this role, and PUBLIC may execute none (spec 1)", async (sql) => {
  const expected = await readExpected(sql);
  assert.ok(expected.crm_api.length > 50 && expected.crm_functions.length >= 4);
  await withSupabaseRoles(sql, async (sql) => {
    for (const role of ["public", ...ROLES] as const) {
      const functions = await sql<{ signature: string }[]>`
      select p.oid::regprocedure::text as signature from pg_proc p
      where p.pronamespace in ('api'::regnamespace, 'app'::regnamespace, 'crm'::regnamespace)
        and has_function_privilege(${role}, p.oid, 'execute')
        -- The owner of a function needs no grant: crm_api and crm_app own the functions that run their verbs.
        and p.proowner::regrole::text <> ${role}
      order by p.oid::regprocedure::text collate "C"`;
      const wanted = role === "public" ? [] : expected[role].toSorted();
      assert.deepEqual(functions.map(({ signature }) => signature), wanted, role);
    }
  });
});

test("every function that crm_functions may execute runs with the rights of its owner", async (sql) => {
  const { crm_functions } = await readExpected(sql);
  const own = await sql`
  select p.oid::regprocedure::text as name from pg_proc p
  where p.oid::regprocedure::text = any (${crm_functions}) and not p.prosecdef`;
  assert.deepEqual([...own], []);
});

test("each role may read, insert and update exactly the tables that it uses, and delete nothing (spec 1)", async (sql) => {
  const used: Partial<Record<Role, Record<string, string[]>>> = {
    crm_api: (await readVerbRights(queryOf(sql), "crm_api")).tables,
    crm_app: (await readVerbRights(queryOf(sql), "crm_app")).tables,
  };
  await withSupabaseRoles(sql, async (sql) => {
    for (const role of ROLES) {
      const rows = await sql<{ name: string; rights: string[] }[]>`
      select c.oid::regclass::text as name, array(
        select r.right from unnest(array['select', 'insert', 'update', 'references']) r ("right")
        where has_any_column_privilege(${role}, c.oid, r.right)
        union all
        select r.right from unnest(array['delete', 'truncate', 'trigger']) r ("right")
        where has_table_privilege(${role}, c.oid, r.right)
      ) as rights
      from pg_class c
      where c.relnamespace in ('api'::regnamespace, 'app'::regnamespace, 'crm'::regnamespace)
        and c.relkind in ('r', 'p', 'v', 'm', 'S', 'f')`;
      const granted = Object.fromEntries(
        rows.filter(({ rights }) => rights.length > 0).map((row) => [row.name, row.rights.sort()]),
      );
      const wanted = Object.entries(used[role] ?? {}).map(([name, access]) => [name, access.toSorted()]);
      assert.deepEqual(granted, Object.fromEntries(wanted), role);
    }
  });
});

test("no role has rights on a function or table that a later migration creates, until they are granted", async (sql) => {
  await withSupabaseRoles(sql, async (sql) => {
    await sql.unsafe(`
    create table crm.later (id integer);
    create function crm.later() returns integer language sql as 'select 1';
    create function app.later() returns integer language sql as 'select 1';
    create function api.later() returns integer language sql as 'select 1';
    create function public.later() returns integer language sql as 'select 1'`);
    for (const role of ROLES) {
      const [row] = await sql`
      select
        has_function_privilege(${role}, 'crm.later()', 'execute')
          or has_function_privilege(${role}, 'app.later()', 'execute')
          or has_function_privilege(${role}, 'api.later()', 'execute') as executable,
        has_any_column_privilege(${role}, 'crm.later', 'select') as readable,
        has_function_privilege(${role}, 'public.later()', 'execute') as public`;
      // Supabase's own grants in schema public are expected.
      const supabase = !role.startsWith("crm_");
      assert.deepEqual({ ...row }, { executable: false, readable: false, public: supabase }, role);
    }
  });
});

test("no role but the owner may create anything, in any schema or as a temporary table", async (sql) => {
  await withSupabaseRoles(sql, async (sql) => {
    const rows = await sql`
    select r.role, n.nspname as place from unnest(${[...ROLES]}::text[]) r (role) cross join pg_namespace n
    where has_schema_privilege(r.role, n.oid, 'create')
    union all
    select r.role, p.place from unnest(${[...ROLES]}::text[]) r (role)
    cross join unnest(array['create', 'temporary']) p (place)
    where has_database_privilege(r.role, current_database(), p.place)`;
    assert.deepEqual([...rows], []);
  });
});

test("the roles of requests have no attribute but login, no membership, and own only the functions that run verbs", async (sql) => {
  const attributes = {
    super: false,
    inherit: false,
    createrole: false,
    createdb: false,
    replication: false,
  };
  const roles = await sql`
  select rolname as name, rolcanlogin as login, rolsuper as super, rolinherit as inherit,
    rolcreaterole as createrole, rolcreatedb as createdb, rolreplication as replication, rolbypassrls as bypassrls
  from pg_roles where rolname like 'crm\\_%' order by 1`;
  assert.deepEqual(roles.map((role) => ({ ...role })), [
    { name: "crm_api", login: false, ...attributes, bypassrls: false },
    { name: "crm_app", login: false, ...attributes, bypassrls: false },
    { name: "crm_functions", login: true, ...attributes, bypassrls: false },
  ]);
  const memberships = await sql`
  select member::regrole::text, roleid::regrole::text from pg_auth_members
  where member in ('crm_api'::regrole, 'crm_app'::regrole, 'crm_functions'::regrole)`;
  assert.deepEqual([...memberships], []);
  const owned = await sql<{ object: string }[]>`
  select pg_describe_object(d.classid, d.objid, 0) as object from pg_shdepend d
  where d.deptype = 'o' and d.dbid = (select oid from pg_database where datname = current_database())
    and d.refobjid in ('crm_api'::regrole, 'crm_app'::regrole, 'crm_functions'::regrole)
  order by 1`;
  assert.deepEqual(owned.map(({ object }) => object), [
    "function crm.run_app_verb(text,jsonb)",
    "function crm.run_verb(text,jsonb)",
  ]);
});

test(
  "the time limits are set on the role that the functions connect as",
  async (_sql, functionsDatabaseUrl) => {
    await using functions = connect(functionsDatabaseUrl);
    const [row] = await functions`
  select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
    current_setting('idle_in_transaction_session_timeout') as idle`;
    assert.deepEqual({ ...row }, { statement: "8s", lock: "5s", idle: "15s" });
  },
);
