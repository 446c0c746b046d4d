import type { Sql } from "postgres";
import { installNode, installProxy } from "../../run/nodes/proxy.ts";
import { migrate } from "../../run/local/migrate.ts";
import { installAuthSchema } from "../../run/local/auth/schema.ts";
import { openSql } from "../../run/local/sql.ts";
import { prepareAsSupabase, startDebianPostgres } from "./debian_postgres.ts";
import type { TestWorkspace } from "./fixtures.ts";

/** The programs that a test with nodes needs. */
export const NODE_PROGRAMS = ["postgresql-15", "postgresql-15-plproxy"];

/** A node, or the proxy. */
export type Server = Awaited<ReturnType<typeof startDebianPostgres>>;

/** Two nodes and a proxy on loopback. */
export interface Nodes extends AsyncDisposable {
  nodes: [Server, Server];
  proxy: Server;
  /** Clients of the nodes as role `postgres`, and of the proxy as its superuser. */
  sql: [Sql, Sql];
  admin: Sql;
}

/** fsync is off, because it protects only against a crash of the machine. */
const SETTINGS = ["fsync=off", "jit=off", "max_connections=200"];

/**
 * Starts two nodes and the proxy. What a test writes into a node is copied at once to where it belongs: a workspace's
 * slot to the proxy, and people and sessions to node 0. So tests for a single database pass with any node.
 */
export async function startNodes(): Promise<Nodes> {
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
async function openNodes(
  opened: (() => Promise<unknown>)[],
): Promise<Omit<Nodes, typeof Symbol.asyncDispose>> {
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
    slots: {},
  });
  const sql = await Promise.all(nodes.map(async ({ url, superuserUrl }, node) => {
    const superuser = open(superuserUrl);
    await prepareAsSupabase(superuser, false);
    const owner = open(url);
    await migrate(owner);
    await installAuthSchema(owner);
    await installNode(owner, node);
    await tellProxy(superuser, node, proxy.port);
    if (node > 0) await tellAuth(superuser, node0.port);
    return owner;
  }));
  return { nodes, proxy, sql: sql as [Sql, Sql], admin };
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

/** Copies the people and sessions that a test writes into a node to node 0, where Supabase Auth would write them. */
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

/** Signs a person in to an app at node 0, and grants the app scopes as the admin of a workspace, at its node. */
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
