// Tests over the whole catalogue, so that no new table is forgotten.
import assert from "node:assert/strict";
import { endpoints } from "../../support/resources.ts";
import { test } from "../../support/scenario.ts";
import { actAs, asCrmApi, rolledBack } from "../../support/transactions.ts";

test("every table of crm has row-level security enabled and forced (spec 1)", async ({ sql }) => {
  const open = await sql`
    select c.oid::regclass::text as name from pg_class c
    where c.relnamespace = 'crm'::regnamespace and c.relkind in ('r', 'p')
      and not (c.relrowsecurity and c.relforcerowsecurity)`;
  assert.deepEqual([...open], []);
});

test("every table with workspace_id has exactly one policy, for the roles of verbs, with USING and WITH CHECK on its workspace (spec 1)", async ({ sql }) => {
  const tables = await sql<
    { name: string; policies: { roles: string[]; cmd: string; qual: string; with_check: string }[] }[]
  >`
    select c.relname as name, coalesce(
      (select json_agg(p) from pg_policies p where p.schemaname = 'crm' and p.tablename = c.relname), '[]'
    ) as policies
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id' and not a.attisdropped
    where c.relnamespace = 'crm'::regnamespace and c.relkind in ('r', 'p')`;
  assert.ok(tables.length >= 10);
  for (const { name, policies } of tables) {
    assert.equal(policies.length, 1, name);
    const [policy] = policies;
    assert.deepEqual(policy!.roles, ["crm_api", "crm_app"], name);
    assert.equal(policy!.cmd, "ALL", name);
    for (const condition of [policy!.qual, policy!.with_check]) {
      assert.equal(condition, "(workspace_id = crm.current_workspace_id())", name);
    }
  }
});

test("crm_api cannot read keys, rate limits, remembered replies, secrets or the queue (spec 1)", async ({ sql }) => {
  const readable = await sql<{ name: string }[]>`
    select c.relname as name from pg_class c
    where c.relnamespace = 'crm'::regnamespace and c.relkind in ('r', 'p', 'v', 'm')
      and has_table_privilege('crm_api', c.oid, 'select')`;
  const names = readable.map(({ name }) => name);
  const secrets = `
    api_keys key_secrets key_calls key_counters rate_limits idempotency_keys workspaces webhook_secrets webhook_queue
    webhook_shards webhook_unsettled jobs`.trim().split(/\s+/);
  assert.deepEqual(names.filter((name) => secrets.includes(name)), []);
  const columns = await sql`
    select c.relname, a.attname from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'crm'::regnamespace and a.attname ~ 'secret|hash|token' and a.attnum > 0
      and has_column_privilege('crm_api', c.oid, a.attnum, 'select')`;
  assert.deepEqual([...columns], []);
});

test("every function of crm and api that is security definer or in plpgsql has an empty search_path", async ({ sql }) => {
  const loose = await sql`
    select p.oid::regprocedure::text as name from pg_proc p
    join pg_language l on l.oid = p.prolang
    where p.pronamespace in ('crm'::regnamespace, 'api'::regnamespace)
      and (p.prosecdef or l.lanname = 'plpgsql')
      and not coalesce(p.proconfig @> array['search_path=""'], false)`;
  assert.deepEqual([...loose], []);
});

test("every verb is plpgsql and is called by name in crm.run_verb, so that Postgres keeps its plans", async ({ sql }) => {
  const verbs = await sql<{ name: string; language: string; bound: boolean }[]>`
    select p.proname as name, l.lanname as language,
      position('api.' || p.proname || '(p_args)' in pg_get_functiondef('crm.run_verb'::regproc)) > 0 as bound
    from pg_proc p join pg_language l on l.oid = p.prolang
    where p.pronamespace = 'api'::regnamespace and pg_get_function_arguments(p.oid) = 'p_args jsonb'`;
  const declared = endpoints.flatMap(({ route: { endpoint } }) =>
    endpoint.gate === "session" ? [] : endpoint.verb ?? []
  );
  assert.deepEqual(verbs.map(({ name }) => name).sort(), [...new Set(declared)].sort());
  for (const { name, language, bound } of verbs) assert.deepEqual([language, bound], ["plpgsql", true], name);
});

test("every foreign key between tables with workspace_id includes it", async ({ sql }) => {
  const loose = await sql`
    select f.conname, f.conrelid::regclass::text as name from pg_constraint f
    where f.contype = 'f' and f.connamespace = 'crm'::regnamespace and f.confrelid <> 'crm.workspaces'::regclass
      and exists (select from pg_attribute a where a.attrelid = f.confrelid and a.attname = 'workspace_id')
      and not exists (
        select from unnest(f.conkey) k join pg_attribute a on a.attrelid = f.conrelid and a.attnum = k
        where a.attname = 'workspace_id')`;
  assert.deepEqual([...loose], []);
});

test("every table and view of crm, and every function of crm and api, has a comment", async ({ sql }) => {
  const silent = await sql`
    select c.oid::regclass::text as name from pg_class c
    where c.relnamespace = 'crm'::regnamespace and c.relkind in ('r', 'p', 'v') and obj_description(c.oid, 'pg_class') is null
    union all
    select p.oid::regprocedure::text from pg_proc p
    where p.pronamespace in ('crm'::regnamespace, 'api'::regnamespace) and obj_description(p.oid, 'pg_proc') is null`;
  assert.deepEqual([...silent], []);
});

test("an empty workspace setting, as an earlier transaction leaves it, shows no rows, and neither does a missing setting", async ({ sql }) => {
  const none = await asCrmApi(sql, "", async (sql) => await sql`select from crm.members`);
  const missing = await sql.begin(async (sql) => {
    await sql`set local role crm_api`;
    return await sql`select from crm.members`;
  });
  assert.deepEqual([none.length, missing.length], [0, 0]);
});

test("the door leaves the connection's role and settings as they were", async ({ sql }) => {
  await sql`select * from api.call(decode(repeat('00', 32), 'hex'), null, null, '{}', null, null)`;
  await sql`select * from api.call_by_link(decode(repeat('00', 32), 'hex'), null, '{}')`;
  const [after] = await sql`
    select current_user as who, coalesce(current_setting('app.workspace_id', true), '') as workspace`;
  assert.deepEqual({ ...after }, { who: "postgres", workspace: "" });
});

test("a partition has the isolation of its table, so a right given by mistake would show one workspace only", async ({ sql, workspace, newDeal }) => {
  await newDeal();
  const [{ day }] = await sql<[{ day: string }]>`
    select tableoid::regclass::text as day from crm.events where workspace_id = ${workspace.id} limit 1`;
  await rolledBack(sql, async (sql) => {
    await sql.unsafe(`grant select on ${day} to crm_app`);
    await actAs(sql, "crm_app", workspace.id);
    const seen = await sql.unsafe(`select workspace_id, count(*)::int as n from ${day} group by 1`);
    assert.deepEqual(seen.map((row) => row["workspace_id"]), [workspace.id]);
    await sql`select set_config('app.workspace_id', gen_random_uuid()::text, true)`;
    assert.deepEqual([...await sql.unsafe(`select from ${day}`)], []);
  });
});
