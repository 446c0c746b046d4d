// What roles may do, by the catalogue and by attempts. Used by tests/sql/isolation on Postgres 17, by tests/postgres15
// on 15.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Sql, TransactionSql } from "postgres";
import type { Query } from "../../tools/rights/catalogue.ts";
import { rolledBack } from "./transactions.ts";
import { readVerbRights } from "../../tools/rights/verb_rights.ts";

const FUNCTIONS = join(import.meta.dirname!, "../../supabase/functions");

/** Supabase's roles: with the public key of a project anybody acts as the first. */
export const SUPABASE_ROLES = ["anon", "authenticated", "service_role"] as const;

/** The roles that own nothing. */
export const ROLES = ["crm_api", "crm_app", "crm_functions", ...SUPABASE_ROLES] as const;

export type Role = typeof ROLES[number];

/** A function of schema api, app or crm, and a call of it with nulls. */
export interface Callable {
  signature: string;
  call: string;
}

/** Runs queries of tools/rights on a client. */
export const queryOf = (sql: Sql): Query => (text) => sql.unsafe(text);

/** Reads the functions that each role must be able to execute: only those that are called as this role. */
export async function readExpected(sql: Sql): Promise<Record<Role, string[]>> {
  const [crm_api, crm_app] = await Promise.all(
    (["crm_api", "crm_app"] as const).map(async (role) =>
      (await readVerbRights(queryOf(sql), role)).functions
    ),
  ) as [string[], string[]];
  const called = await callsOfFunctions(FUNCTIONS);
  const signatures = await sql<{ signature: string }[]>`
    select p.oid::regprocedure::text as signature from pg_proc p
    where p.pronamespace::regnamespace || '.' || p.proname = any (${[...called]}) order by 1`;
  assert.equal(signatures.length, called.size, "each function that is called exists once");
  return {
    crm_api,
    crm_app,
    crm_functions: signatures.map(({ signature }) => signature),
    anon: [],
    authenticated: [],
    service_role: [],
  };
}

/** The SQL functions that the code of a folder calls in its statements. */
async function callsOfFunctions(folder: string): Promise<Set<string>> {
  const called = new Set<string>();
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) { for (const found of await callsOfFunctions(path)) called.add(found); }
    else if (name.endsWith(".ts")) {
      const calls = (await Deno.readTextFile(path)).matchAll(
        /\b(?:from|select|call)\s+((?:api|app|crm)\.\w+)\(/g,
      );
      for (const [, found] of calls) called.add(found!);
    }
  }
  return called;
}

/** Reads every function of our schemas. Procedures are among them. */
export async function readCallables(sql: Sql): Promise<Callable[]> {
  return await sql<Callable[]>`
    select
      p.oid::regprocedure::text as signature,
      case p.prokind when 'p' then 'call ' else 'select ' end
        || p.pronamespace::regnamespace || '.' || quote_ident(p.proname) || '('
        || coalesce(
          (
            select string_agg(
              case when p.provariadic <> 0 and n = p.pronargs then 'variadic ' else '' end || 'null::' || t::regtype,
              ', ' order by n
            )
            from unnest(p.proargtypes) with ordinality a (t, n)
          ),
          ''
        ) || ')' as call
    from pg_proc p
    where p.pronamespace in ('api'::regnamespace, 'app'::regnamespace, 'crm'::regnamespace)
    order by 1`;
}

/** Adds Supabase's roles and the rights that it gives them in schema public, as its projects have them. */
async function createSupabaseRoles(sql: TransactionSql): Promise<void> {
  for (const role of SUPABASE_ROLES) {
    await sql.unsafe(`
      create role ${role} nologin noinherit;
      grant ${role} to current_user;
      grant usage on schema public to ${role};
      alter default privileges in schema public grant all on tables to ${role};
      alter default privileges in schema public grant all on functions to ${role};
      alter default privileges in schema public grant all on sequences to ${role};`);
  }
}

/**
 * Runs `work` in a transaction that is rolled back, with Supabase's roles. The roles belong to the whole cluster, so
 * they must not outlive the test.
 */
export async function withSupabaseRoles(
  sql: Sql,
  work: (sql: TransactionSql) => Promise<void>,
): Promise<void> {
  await rolledBack(sql, async (sql) => {
    await createSupabaseRoles(sql);
    await work(sql);
  });
}

/**
 * Calls a function, undoes what it did, and returns whether the role may execute it: a function that fails for any
 * reason other than missing rights was executed.
 */
export async function mayCall(sql: TransactionSql, { call }: Callable): Promise<boolean> {
  // Row-level security refuses with the same code but another message.
  return !/^permission denied/.test((await refusalOf(sql, call))?.message ?? "");
}

/** Runs a statement and undoes it; returns its error, or null. */
export async function refusalOf(
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
