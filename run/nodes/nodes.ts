// What the operator does with nodes through a proxy. The proxy's tables list the nodes and say where workspaces live.
import postgres, { type Sql } from "postgres";
import { migrate } from "../local/migrate.ts";
import { firstAnswer, hasTable, openSql } from "../local/sql.ts";
import { firstLine, StackError } from "../local/stack_error.ts";
import { OperatorError } from "../operator/errors.ts";
import { FUNCTIONS_ROLE, setFunctionsPassword } from "../operator/functions_password.ts";
import { slotOf } from "../../supabase/functions/_shared/contract/credentials.ts";
import { describeNode } from "./move_checks.ts";
import { installNode, installProxy } from "./proxy.ts";

/** All that is needed to rebuild a proxy. Contains passwords. */
export interface ProxyData {
  functions_password: string;
  nodes: { node: number; connection: string; url: string }[];
  slots: Record<string, number>;
  /** For keys and tokens that name no slot: their workspace's slot, by the SHA-256 of the key or token in hex. */
  old_credentials: Record<string, string>;
  /** The addresses of the other proxies in front of the same nodes. */
  proxies: string[];
}

export interface NodeState {
  node: number;
  /** How the proxy reaches the node. */
  connection: string;
  /** `ok`, `degraded`, or why the node does not answer. */
  state: string;
  workspaces: number | null;
  slots: number;
}

export interface NewNode {
  /** The URL for the operator and other nodes: without a pooler, as a role that may create subscriptions. */
  url: string;
  /** How the proxy reaches the node: a connection string of libpq. If undefined, it is derived from `url`. */
  connection: string | undefined;
  /** The password of crm_functions. Only the first node needs it. */
  password: string | undefined;
}

export const CONNECT_TIMEOUT_S = 5;

/** Opens the operator's connection to a database, node or proxy, and closes it after the work. */
export async function atDatabase<Result>(url: string, use: (sql: Sql) => Promise<Result>): Promise<Result> {
  const sql = openSql(url, {
    max: 1,
    // Supabase's transaction pooler does not support named statements.
    prepare: false,
    connect_timeout: CONNECT_TIMEOUT_S,
    // No maximum age, because the session-level lock of a move must not end while the move runs.
    max_lifetime: null,
    connection: { application_name: "crm-cli" },
  });
  try {
    await firstAnswer(sql, sql`select`, CONNECT_TIMEOUT_S);
    return await use(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/**
 * Opens the operator's connections to all other proxies of the same nodes, and closes them after the work.
 * @param use its first argument is `proxy`
 * @throws StackError if a proxy does not answer, because it would miss the change
 */
async function atAllProxies<Result>(
  proxy: Sql,
  use: (proxies: [Sql, ...Sql[]]) => Promise<Result>,
): Promise<Result> {
  return await atOthers(await otherProxies(proxy), [proxy], use);
}

async function atOthers<Result>(
  [url, ...urls]: readonly string[],
  opened: [Sql, ...Sql[]],
  use: (proxies: [Sql, ...Sql[]]) => Promise<Result>,
): Promise<Result> {
  if (url === undefined) return await use(opened);
  let answers = false;
  try {
    return await atDatabase(url, (sql) => {
      answers = true;
      return atOthers(urls, [...opened, sql], use);
    });
  } catch (error) {
    throw answers ? error : silentProxy(url, error);
  }
}

/** The error for a proxy that cannot be told what changes. */
export function silentProxy(url: string, cause: unknown): StackError {
  const { host } = new URL(url);
  return new StackError(
    `The proxy at ${host} does not answer (${firstLine(cause)}): start it, or, if it is gone for good, ` +
      "remove it with `deno task crm proxy remove`",
  );
}

/** The addresses of the other proxies in front of the same nodes. */
export async function otherProxies(proxy: Sql): Promise<string[]> {
  if (!await isProxy(proxy)) return [];
  return (await proxy`select url from nodes.proxies order by url`).map((row) => row["url"]);
}

/**
 * Turns an empty database, in a Postgres with PL/Proxy, into a further proxy of the same nodes, and tells all proxies.
 * @param own the address of `proxy`
 */
export async function addProxy(proxy: Sql, own: string, url: string): Promise<void> {
  await atAllProxies(proxy, async (proxies) => {
    await proxy.begin(async (sql) => {
      // Nobody registers or moves a workspace until the new proxy has its slot too. Calls only read slots and go on.
      await sql`lock table nodes.slots in exclusive mode`;
      if ((await sql`select from nodes.moves limit 1`).length > 0) {
        throw new StackError("A workspace is moving: complete or undo the move, then add the proxy");
      }
      const data = await readProxy(sql as unknown as Sql);
      await atDatabase(url, (added) => restoreProxy(added, { ...data, proxies: [own, ...data.proxies] }));
      for (const each of [sql, ...proxies.slice(1)]) {
        await each`insert into nodes.proxies (url) values (${url}) on conflict do nothing`;
      }
    });
  });
}

/**
 * Makes the proxies forget one of them, so that commands no longer tell it what changes. A proxy that does not answer
 * is not told: the next command there fails, and names the removed proxy.
 */
export async function removeProxy(proxy: Sql, url: string): Promise<void> {
  const forget = (sql: Sql) => sql`delete from nodes.proxies where url = ${url}`;
  if ((await forget(proxy)).count === 0) {
    throw new StackError("There is no other proxy with this address: see `deno task crm proxy list`");
  }
  for (const other of await otherProxies(proxy)) await atDatabase(other, forget).catch(() => {});
}

export async function isProxy(sql: Sql): Promise<boolean> {
  return await hasTable(sql, "nodes.slots");
}

/** The URL at which the operator reaches a node. @throws StackError if the proxy has no such node. */
export async function operatorUrl(proxy: Sql, node: number): Promise<string> {
  const [row] = await proxy<{ url: string }[]>`select url from nodes.operators where node = ${node}`;
  if (row === undefined) throw new StackError(`There is no node ${node}: see \`deno task crm node list\``);
  return row.url;
}

export async function nodeNumbers(proxy: Sql): Promise<number[]> {
  return (await proxy`select node from nodes.operators order by node`).map((row) => row["node"]);
}

/** The node of a workspace; null if the proxy does not know it. */
export async function nodeOfWorkspace(proxy: Sql, workspaceId: string): Promise<number | null> {
  if (!/^[0-9a-f-]{36}$/i.test(workspaceId)) return null;
  const [row] = await proxy`select node from nodes.slots where slot = ${slotOf(workspaceId)}`;
  return row?.["node"] ?? null;
}

/**
 * Calls `use` for one node after the other, until a node has the records that the command names. This is safe, because
 * at a node without them the verb raises not_found and changes nothing.
 */
export async function atFirst<Result>(
  proxy: Sql,
  nodes: readonly number[],
  use: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  for (const [index, node] of nodes.entries()) {
    try {
      return await atDatabase(await operatorUrl(proxy, node), use);
    } catch (error) {
      if (index === nodes.length - 1 || !(error instanceof OperatorError) || error.code !== "not_found") {
        throw error;
      }
    }
  }
  throw new StackError("The proxy has no node: add one with `deno task crm node add`");
}

export async function emptiestNode(proxy: Sql): Promise<number> {
  const [row] = await proxy`
    select o.node from nodes.operators o left join nodes.slots s on s.node = o.node
    group by o.node order by count(s.slot), o.node limit 1
  `;
  if (row === undefined) throw new StackError("The proxy has no node: add one with `deno task crm node add`");
  return row["node"];
}

/**
 * Creates a workspace at a node, and registers its slot at every proxy before the transaction commits.
 * @param create creates the workspace in the transaction
 */
export async function createAt<Created extends { id: string }>(
  proxy: Sql,
  node: number,
  create: (sql: Sql) => Promise<Created>,
): Promise<Created> {
  const url = await operatorUrl(proxy, node);
  return await atAllProxies(proxy, (proxies) =>
    atDatabase(url, async (sql) => {
      for (;;) {
        try {
          return await sql.begin(async (sql) => {
            const created = await create(sql as unknown as Sql);
            for (const each of proxies) await registerSlots(each, node, [created.id]);
            return created;
          }) as Created;
        } catch (error) {
          // The new id happens to have the slot of a workspace at another node: try another id.
          if (!(error instanceof SlotTaken)) throw error;
        }
      }
    }));
}

class SlotTaken extends StackError {}

async function registerSlots(proxy: Sql, node: number, workspaceIds: readonly string[]): Promise<void> {
  const slots = workspaceIds.map(slotOf);
  await proxy`
    insert into nodes.slots (slot, node) select distinct s, ${node}::integer from unnest(${slots}::text[]) s
    on conflict (slot) do nothing
  `;
  const [other] = await proxy`
    select slot, node from nodes.slots where slot = any (${slots}::text[]) and node <> ${node} limit 1
  `;
  if (other !== undefined) {
    throw new SlotTaken(
      `The slot ${other["slot"]} of a workspace at node ${node} already belongs to node ${other["node"]}`,
    );
  }
}

/**
 * Tells the proxies the slots of these workspaces' keys and links. Without this, the proxies would send calls to node 0
 * if the key or link names no slot.
 * @param sql connected to the node that has the workspaces
 */
export async function rememberCredentials(
  proxies: readonly Sql[],
  sql: Sql,
  ids: readonly string[],
): Promise<void> {
  const rows = await sql<{ hash: string; workspace_id: string }[]>`
    select encode(s.hash, 'hex') as hash, s.workspace_id
    from crm.key_secrets s where s.workspace_id = any (${ids}::uuid[])
    union all
    select encode(l.token_hash, 'hex'), l.workspace_id
    from crm.proposal_links l where l.workspace_id = any (${ids}::uuid[])
  `;
  const hashes = rows.map(({ hash }) => hash);
  const slots = rows.map((row) => slotOf(row.workspace_id));
  await Promise.all(proxies.map((proxy) =>
    proxy`
      insert into nodes.old_credentials (hash, slot)
      select decode(c.hash, 'hex'), c.slot from unnest(${hashes}::text[], ${slots}::text[]) c (hash, slot)
      on conflict (hash) do nothing
    `
  ));
}

/**
 * Adds a node, whose workspaces can then be called through all proxies. For the first node, `proxy` is an empty
 * database in a Postgres with PL/Proxy, which becomes a proxy.
 * @returns the number of the node
 */
export async function addNode(proxy: Sql, node: NewNode): Promise<number> {
  return await atAllProxies(proxy, (proxies) => addNodeAt(proxies, node));
}

async function addNodeAt(
  proxies: readonly [Sql, ...Sql[]],
  { url, connection, password }: NewNode,
): Promise<number> {
  const reached = connection ?? libpq(url);
  const [proxy] = proxies;
  const known = await Promise.all(proxies.map(countNodes));
  const node = known[0]!;
  if (known.some((count) => count !== node)) {
    throw new StackError(
      "The proxies have different nodes: remove the outdated proxy with `deno task crm proxy remove`, and add it again",
    );
  }
  if (!await isProxy(proxy)) await makeProxy(proxy, password, [reached]);
  const secret = await functionsPassword(proxy);
  await atDatabase(url, async (sql) => {
    const [{ is_new }] = await sql<[{ is_new: boolean }]>`select to_regnamespace('crm') is null as is_new`;
    if (is_new) await migrate(sql);
    if (node > 0) await matchFirst(proxy, sql);
    await installNode(sql, node);
    // At node 0 the functions use this password already.
    if (node > 0) await setFunctionsPassword(sql, secret);
    const ids = (await sql<{ id: string }[]>`select id from crm.workspaces`).map(({ id }) => id);
    for (const each of proxies) await registerSlots(each, node, ids);
    if (node > 0) await rememberCredentials(proxies, sql, ids);
  });
  for (const each of proxies) {
    await each`select nodes.set_node(${node}, ${reached})`;
    await each`insert into nodes.operators (node, url) values (${node}, ${url})`;
  }
  try {
    for (const each of proxies) await each`select nodes.crm_check_health_at(${node})`;
  } catch (error) {
    throw new StackError(
      `Node ${node} is added, but a proxy does not reach it as ${FUNCTIONS_ROLE} (${
        firstLine(error)
      }): correct the ` +
        "address with `select nodes.set_node(…)` at the proxy, or the role's password at the node",
    );
  }
  return node;
}

/** How many nodes a proxy has; 0 if the database is not a proxy yet. */
async function countNodes(proxy: Sql): Promise<number> {
  return await isProxy(proxy) ? (await nodeNumbers(proxy)).length : 0;
}

async function makeProxy(proxy: Sql, password: string | undefined, connections: string[]): Promise<void> {
  if (!password) {
    throw new StackError(`FUNCTIONS_PASSWORD is not set: set it to the password that ${FUNCTIONS_ROLE} has`);
  }
  const [used] = await proxy`select where to_regnamespace('crm') is not null`;
  if (used !== undefined) {
    throw new StackError("The database has the schema crm already: a proxy needs an empty database");
  }
  await installProxy(proxy, { connections, password });
  await setFunctionsPassword(proxy, password);
}

/** Makes sure that a node can take workspaces of node 0. */
async function matchFirst(proxy: Sql, sql: Sql): Promise<void> {
  const first = await atDatabase(await operatorUrl(proxy, 0), describeNode);
  if (first.columns !== (await describeNode(sql)).columns) {
    throw new StackError("The new node has other tables than node 0: deploy the same release to both nodes");
  }
  // Both nodes need the same secret, so that readers of the feed keep their place after a move.
  await sql`
    update crm.feed_offset set cursor_secret = decode(${first.secret}, 'hex')
    where not exists (select from crm.workspaces)
  `;
}

/** The password with which the proxy connects to the nodes as crm_functions. */
async function functionsPassword(proxy: Sql): Promise<string> {
  const [row] = await proxy`
    select o.option_value as password
    from pg_user_mappings m, pg_options_to_table(m.umoptions) o
    where m.srvname = 'crm' and o.option_name = 'password' limit 1
  `;
  if (row === undefined) {
    throw new StackError(
      "The role in DATABASE_URL cannot read the proxy's passwords: use the role that made the proxy",
    );
  }
  return row["password"];
}

/** A connection string of libpq without user and password. */
function libpq(url: string): string {
  const { hostname, port, pathname, searchParams } = new URL(url);
  const mode = searchParams.get("sslmode");
  return `host=${hostname} port=${port || "5432"} dbname=${
    pathname.slice(1) || "postgres"
  } connect_timeout=3` +
    (mode ? ` sslmode=${mode}` : "");
}

/** Reads all that is needed to rebuild the proxy. */
export async function readProxy(proxy: Sql): Promise<ProxyData> {
  const nodes = await proxy<ProxyData["nodes"]>`
    select n.node, o.option_value as connection, n.url
    from nodes.operators n
    join pg_foreign_server s on s.srvname = 'crm'
    cross join lateral pg_options_to_table(s.srvoptions) o
    where o.option_name = 'p' || n.node
    order by n.node
  `;
  const slots = await proxy`select slot, node from nodes.slots order by slot`;
  const old = await proxy`select encode(hash, 'hex') as hash, slot from nodes.old_credentials order by hash`;
  return {
    functions_password: await functionsPassword(proxy),
    nodes: [...nodes],
    slots: Object.fromEntries(slots.map((row) => [row["slot"], row["node"]])),
    old_credentials: Object.fromEntries(old.map((row) => [row["hash"], row["slot"]])),
    proxies: await otherProxies(proxy),
  };
}

/** Turns an empty database into a proxy of nodes that another proxy knows or knew. */
export async function restoreProxy(proxy: Sql, data: ProxyData): Promise<void> {
  await makeProxy(proxy, data.functions_password, data.nodes.map(({ connection }) => connection));
  for (const { node, url } of data.nodes) {
    await proxy`insert into nodes.operators (node, url) values (${node}, ${url})`;
  }
  await proxy`
    insert into nodes.slots (slot, node)
    select s.key, s.value::integer from jsonb_each_text(${proxy.json(data.slots)}) s
  `;
  await proxy`
    insert into nodes.old_credentials (hash, slot)
    select decode(s.key, 'hex'), s.value from jsonb_each_text(${proxy.json(data.old_credentials)}) s
  `;
  await proxy`insert into nodes.proxies (url) select unnest(${data.proxies}::text[])`;
}

/** Asks each node of a proxy for its state, one after the other. */
export async function nodeStates({ nodes, slots }: ProxyData): Promise<NodeState[]> {
  const states: NodeState[] = [];
  for (const { node, connection, url } of nodes) {
    const own = Object.values(slots).filter((number) => number === node).length;
    const found = await atDatabase(url, async (sql) => {
      const [row] = await sql<[{ state: string; workspaces: number }]>`
        select crm.check_health() as state, (select count(*)::integer from crm.workspaces) as workspaces
      `;
      return row;
    }).catch((error) => ({
      state: error instanceof postgres.PostgresError ? error.message : "does not answer",
      workspaces: null,
    }));
    states.push({ node, connection, ...found, slots: own });
  }
  return states;
}
