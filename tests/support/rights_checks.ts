import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { readVerbRights } from "../../tools/rights/verb_rights.ts";
import { openSql } from "../../run/local/sql.ts";
import {
  mayCall,
  queryOf,
  readCallables,
  readExpected,
  refusalOf,
  type Role,
  ROLES,
  withSupabaseRoles,
} from "./rights.ts";

/** A test over the rights of every role. */
export interface RightsCheck {
  name: string;
  /** `sql` is the owner's; `functionsDatabaseUrl` connects as crm_functions. */
  run(sql: Sql, functionsDatabaseUrl: string): Promise<void>;
}

export const RIGHTS_CHECKS: RightsCheck[] = [
  {
    name: "each role may execute exactly the functions that are called as it, and the public none (spec 1)",
    run: async (sql) => {
      const expected = await readExpected(sql);
      assert.ok(expected.crm_api.length > 50 && expected.crm_functions.length >= 4);
      await withSupabaseRoles(sql, async (sql) => {
        for (const role of ["public", ...ROLES] as const) {
          const functions = await sql<{ signature: string }[]>`
          select p.oid::regprocedure::text as signature from pg_proc p
          where p.pronamespace in ('api'::regnamespace, 'app'::regnamespace, 'crm'::regnamespace)
            and has_function_privilege(${role}, p.oid, 'execute')
            -- The owner of a function needs no grant, and the roles of verbs call theirs nowhere.
            and p.proowner::regrole::text <> ${role}
          order by p.oid::regprocedure::text collate "C"`;
          const wanted = role === "public" ? [] : expected[role].toSorted();
          assert.deepEqual(functions.map(({ signature }) => signature), wanted, role);
        }
      });
    },
  },

  {
    name: "every function, called as each role, is refused where it is not that role's (spec 1)",
    run: async (sql, functionsDatabaseUrl) => {
      const expected = await readExpected(sql);
      const callables = await readCallables(sql);
      assert.ok(callables.length > 150);
      const owned: Partial<Record<Role, string>> = {
        crm_api: "crm.run_verb(text,jsonb)",
        crm_app: "crm.run_app_verb(text,jsonb)",
      };
      const allowed = (role: Role) => new Set([...expected[role], ...(owned[role] ? [owned[role]] : [])]);
      await withSupabaseRoles(sql, async (sql) => {
        // Of Supabase's roles one stands for all: the test before this one reads the rights of each.
        for (const role of ["crm_api", "crm_app", "anon"] as const) {
          await sql.unsafe(`set local role ${role}`);
          for (const callable of callables) {
            const { signature } = callable;
            assert.equal(
              await mayCall(sql, callable),
              allowed(role).has(signature),
              `${signature} as ${role}`,
            );
          }
          await sql`reset role`;
        }
      });
      const functions = openSql(functionsDatabaseUrl, { max: 1 });
      try {
        await functions.begin(async (sql) => {
          for (const callable of callables) {
            const { signature } = callable;
            const may = allowed("crm_functions").has(signature);
            assert.equal(await mayCall(sql, callable), may, `${signature} as crm_functions`);
          }
        });
      } finally {
        await functions.end();
      }
    },
  },

  {
    name: "what crm_functions may execute runs with the rights of its owner",
    run: async (sql) => {
      const { crm_functions } = await readExpected(sql);
      const own = await sql`
      select p.oid::regprocedure::text as name from pg_proc p
      where p.oid::regprocedure::text = any (${crm_functions}) and not p.prosecdef`;
      assert.deepEqual([...own], []);
    },
  },

  {
    name:
      "each role may read, insert and update exactly the tables that it uses, and delete nothing (spec 1)",
    run: async (sql) => {
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
    },
  },

  {
    name: "a function and a table that a later migration creates are nobody's until they are granted",
    run: async (sql) => {
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
    },
  },

  {
    name: "no role but the owner may create anything, in any schema or as a temporary table",
    run: async (sql) => {
      await withSupabaseRoles(sql, async (sql) => {
        const rows = await sql`
        select r.role, n.nspname as place from unnest(${[
          ...ROLES,
        ]}::text[]) r (role) cross join pg_namespace n
        where has_schema_privilege(r.role, n.oid, 'create')
        union all
        select r.role, p.place from unnest(${[...ROLES]}::text[]) r (role)
        cross join unnest(array['create', 'temporary']) p (place)
        where has_database_privilege(r.role, current_database(), p.place)`;
        assert.deepEqual([...rows], []);
        for (const schema of ["crm", "api", "app", "public", "pg_temp"]) {
          await sql`set local role crm_api`;
          const refusal = await refusalOf(sql, `create table ${schema}.mine (id integer)`);
          assert.equal(refusal?.code, "42501", schema);
          await sql`reset role`;
        }
      });
    },
  },

  {
    name: "the roles of requests have no attribute, no membership, and own nothing but what runs the verbs",
    run: async (sql) => {
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
    },
  },

  {
    name: "the limits of time belong to the role that functions connect as",
    run: async (_sql, functionsDatabaseUrl) => {
      const functions = openSql(functionsDatabaseUrl, { max: 1 });
      try {
        const [row] = await functions`
        select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
          current_setting('idle_in_transaction_session_timeout') as idle`;
        assert.deepEqual({ ...row }, { statement: "8s", lock: "5s", idle: "15s" });
      } finally {
        await functions.end();
      }
    },
  },
];
