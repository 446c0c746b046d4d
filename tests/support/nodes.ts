import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { installNode, installProxy } from "../../run/nodes/install.ts";
import { migrate } from "../../run/local/migrate.ts";
import { installAuthSchema } from "../../run/local/auth/schema.ts";
import { openSql } from "../../run/local/sql.ts";
import { type claimDeliveries, recordOutcomes } from "../../supabase/functions/webhook-dispatcher/queue.ts";
import { prepareAsSupabase, startDebianPostgres } from "./debian_postgres.ts";
import type { TestWorkspace } from "./fixtures.ts";

/** The programs that a test with nodes needs. */
export const NODE_PROGRAMS = ["postgresql-15", "postgresql-15-plproxy"];

/** A node, or the proxy. */
type Server = Awaited<ReturnType<typeof startDebianPostgres>>;

/** fsync is off, because it protects only against a crash of the machine. */
const SETTINGS = ["fsync=off", "jit=off", "max_connections=200"];

/**
 * Starts two nodes and the proxy. Tests for a single database pass at either node: triggers tell the proxy which node
 * a new workspace is on, and copy people and sessions to node 0, where Supabase Auth would write them.
 */
export async function startNodes() {
  // Deno 2.1 has no AsyncDisposableStack.
  const opened: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const end of opened.splice(0).reverse()) await end();
  };
  try {
    return { ...await openNodes(opened), [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @param opened receives the functions that end each server and connection */
async function openNodes(opened: (() => Promise<unknown>)[]) {
  const start = async () => {
    const server = await startDebianPostgres(SETTINGS);
    opened.push(() => server[Symbol.asyncDispose]());
    return server;
  };
  const [node0, node1, proxy] = await Promise.all([start(), start(), start()]);
  const open = (url: string) => {
    const sql = openSql(url, { max: 2 });
    opened.push(() => sql.end());
    return sql;
  };
  const admin = open(proxy.superuserUrl);
  const nodes: [Server, Server] = [node0, node1];
  await installProxy(admin, {
    connections: nodes.map(({ port }) => `host=127.0.0.1 port=${port} dbname=postgres connect_timeout=3`),
    password: "unused",
  });
  const sql = await Promise.all(nodes.map(async (server, node) => {
    const { superuser, owner } = await prepareNode(server, open);
    await installNode(owner, node);
    await tellProxy(superuser, node, proxy.port);
    if (node > 0) await tellAuth(superuser, node0.port);
    return owner;
  }));
  return {
    nodes,
    proxy,
    /** Clients of the nodes, as role `postgres`. */
    sql: sql as [Sql, Sql],
    /** A client of the proxy, as its superuser. */
    admin,
  };
}

/** Applies the migrations to a new server; returns clients of the superuser and of the owner. */
async function prepareNode({ url, superuserUrl }: Server, open: (url: string) => Sql) {
  const [superuser, owner] = [open(superuserUrl), open(url)];
  await prepareAsSupabase(superuser, false);
  await migrate(owner);
  await installAuthSchema(owner);
  return { superuser, owner };
}

async function tellProxy(superuser: Sql, node: number, port: number): Promise<void> {
  const proxy = `host=127.0.0.1 port=${port} dbname=postgres user=supabase_admin`;
  await superuser.unsafe(`
    create extension dblink schema extensions;
    create function nodes.tell_proxy() returns trigger language plpgsql security definer as $$
    begin
      perform extensions.dblink_exec('${proxy}', format(
        'insert into nodes.slots (slot, node) select nodes.slot_of(%L), ${node} on conflict (slot) do nothing', new.id
      ));
      return null;
    end
    $$;
    create trigger tell_proxy after insert on crm.workspaces for each row execute function nodes.tell_proxy();
  `);
}

/** Makes a node copy to node 0 the people and sessions that tests write. Supabase Auth would write them to node 0. */
async function tellAuth(superuser: Sql, port: number): Promise<void> {
  await superuser.unsafe(`
    create function nodes.tell_auth() returns trigger language plpgsql security definer as $$
    begin
      perform extensions.dblink_exec('host=127.0.0.1 port=${port} dbname=postgres user=supabase_admin', format(
        -- Runs as a replica, so that deleting the former row deletes no others.
        'set session_replication_role = replica; delete from %1$s where id = %2$L; '
        'insert into %1$s select r.* from jsonb_populate_record(null::%1$s, %3$L) r where r.id is not null',
        tg_relid::regclass, coalesce(new.id, old.id), to_jsonb(new)
      ));
      return null;
    end
    $$;
  `);
  for (const table of ["auth.users", "auth.sessions", "auth.mfa_factors"]) {
    await superuser.unsafe(`
      create trigger tell_auth after insert or update or delete on ${table} for each row
      -- Rows that the functions write came from node 0.
      when (session_user <> 'crm_functions') execute function nodes.tell_auth()`);
  }
}

/** Signs a person in to an app at node 0, and grants the app scopes as a workspace's admin, at the workspace's node. */
export async function addApp(sql0: Sql, sql: Sql, { id, memberId }: TestWorkspace, scopes = ["deals:read"]) {
  const [user, client] = [crypto.randomUUID(), crypto.randomUUID()];
  await sql0`insert into auth.users (id, email) values (${user}, ${`${user}@pessoa.example`})`;
  const [{ session }] = await sql0<[{ session: string }]>`
    insert into auth.sessions (user_id) values (${user}) returning id as session`;
  await sql`update crm.members set user_id = ${user} where workspace_id = ${id} and id = ${memberId}`;
  await sql`
    insert into crm.api_keys (workspace_id, member_id, name, prefix, scopes, user_id, client_id)
    values (${id}, ${memberId}, 'App', ${client.slice(0, 8)}, ${scopes}, ${user}, ${client})`;
  return { user, session, client };
}

/** Postgres waits this long between starts of the workers that copy a workspace; the default is 5 seconds. */
const RETRY = "wal_retrieve_retry_interval=300ms";
const MOVING = ["fsync=off", "max_connections=200", "wal_level=logical", RETRY];

/** Starts two migrated databases for `crm node add`, and an empty one that becomes the proxy. */
export async function startForMoves(stack: AsyncDisposableStack) {
  const start = async () => stack.use(await startDebianPostgres(MOVING));
  const [node0, node1, proxy] = await Promise.all([start(), start(), start()]);
  const open = (url: string) => stack.use(openSql(url, { max: 4 }));
  const nodes: [Server, Server] = [node0, node1];
  const owners = await Promise.all(nodes.map(async (server) => (await prepareNode(server, open)).owner));
  return { nodes, proxy, owners: owners as [Sql, Sql] };
}

/** Asserts that a node has no row of the workspace, and nothing that a move created. */
export async function assertLeft(sql: Sql, workspaceId: string): Promise<void> {
  const tables = await sql<{ name: string }[]>`
    select c.oid::regclass::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'crm'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.attname = 'workspace_id'`;
  assert.ok(tables.length > 30);
  for (const { name } of tables) {
    const rows = await sql.unsafe(`select from ${name} where workspace_id = '${workspaceId}'`);
    assert.equal(rows.length, 0, name);
  }
  assert.equal((await sql`select from crm.workspaces where id = ${workspaceId}`).length, 0);
  const [left] = await sql`
    select (select count(*)::int from pg_publication) as publications,
      (select count(*)::int from pg_replication_slots) as slots,
      (select count(*)::int from pg_stat_subscription) as subscriptions,
      (select count(*)::int from pg_trigger where tgname like 'aa_fence%') as fences`;
  assert.deepEqual({ ...left }, { publications: 0, slots: 0, subscriptions: 0, fences: 0 });
}

/** Records that the receivers took these deliveries. */
export function recordSuccess(deliveries: Awaited<ReturnType<typeof claimDeliveries>>) {
  const outcome = { status: 200, reason: undefined, text: undefined } as never;
  return recordOutcomes(deliveries.map((delivery) => ({ delivery, outcome, ms: 1 })));
}
