// The proxies in front of the same nodes: making, copying and forgetting one. Each stores the addresses of the others.
import postgres, { type Sql } from "postgres";
import { firstLine, StackError } from "../local/stack_error.ts";
import { FUNCTIONS_ROLE, setFunctionsPassword } from "../operator/functions_password.ts";
import { atDatabase, isProxy, openAt } from "./nodes.ts";
import { installProxy } from "./install.ts";

/** All that is needed to rebuild a proxy. Contains passwords. */
export interface ProxyData {
  functions_password: string;
  nodes: { node: number; connection: string; url: string }[];
  slots: Record<string, number>;
  /** The slots of keys and tokens, by their SHA-256 in hex. The proxy needs them if a key or token names no slot. */
  old_credentials: Record<string, string>;
  /** The addresses of the other proxies in front of the same nodes. */
  proxies: string[];
}

export type NodeState = {
  node: number;
  /** How the proxy reaches the node. */
  connection: string;
  /** `ok`, `degraded`, or why the node does not answer. */
  state: string;
  workspaces: number | null;
  slots: number;
};

/**
 * Opens the operator's connections to all other proxies of the same nodes, and closes them after the work.
 * @param use gets the connections to all proxies, `proxy` first
 * @throws StackError if a proxy does not answer: that proxy would miss the change
 */
export async function atAllProxies<Result>(
  proxy: Sql,
  use: (proxies: [Sql, ...Sql[]]) => Promise<Result>,
): Promise<Result> {
  await using stack = new AsyncDisposableStack();
  const proxies: [Sql, ...Sql[]] = [proxy];
  for (const url of await otherProxies(proxy)) proxies.push(stack.use(await openProxy(url)));
  return await use(proxies);
}

/** Opens the operator's connection to a proxy. @throws StackError if the proxy does not answer */
export async function openProxy(url: string, applicationName?: string): Promise<Sql & AsyncDisposable> {
  try {
    return await openAt(url, applicationName);
  } catch (error) {
    const { host } = new URL(url);
    throw new StackError(
      `The proxy at ${host} does not answer (${firstLine(error)}): start it, or, if it is gone for good, ` +
        "remove it with `deno task crm proxy remove`",
    );
  }
}

/** The addresses of the other proxies in front of the same nodes. */
export async function otherProxies(proxy: Sql): Promise<string[]> {
  if (!await isProxy(proxy)) return [];
  return (await proxy`select url from nodes.proxies order by url`).map((row) => row["url"]);
}

/** Whether a workspace is moving. Only the proxy at which the move began knows it. */
export async function isMoving(proxies: readonly Sql[]): Promise<boolean> {
  const moves = await Promise.all(proxies.map((proxy) => proxy`select from nodes.moves limit 1`));
  return moves.some(({ length }) => length > 0);
}

/**
 * Turns an empty database, in a Postgres with PL/Proxy, into a further proxy of the same nodes, and tells all proxies.
 * @param own the address of `proxy`
 */
export async function addProxy(proxy: Sql, own: string, url: string): Promise<void> {
  await atAllProxies(proxy, async (proxies) => {
    await proxy.begin(async (sql) => {
      // Nobody registers or moves a workspace before the new proxy has all slots. Calls only read slots, so they go on.
      await sql`lock table nodes.slots in exclusive mode`;
      if (await isMoving([sql as unknown as Sql, ...proxies.slice(1)])) {
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
 * Makes the proxies forget one proxy, so that commands no longer tell that proxy what changes. A proxy that does not
 * answer is skipped: the next command there fails, and names the removed proxy.
 */
export async function removeProxy(proxy: Sql, url: string): Promise<void> {
  const forget = (sql: Sql) => sql`delete from nodes.proxies where url = ${url}`;
  if ((await forget(proxy)).count === 0) {
    throw new StackError("There is no other proxy with this address: see `deno task crm proxy list`");
  }
  for (const other of await otherProxies(proxy)) await atDatabase(other, forget).catch(() => {});
}

export async function makeProxy(
  proxy: Sql,
  password: string | undefined,
  connections: string[],
): Promise<void> {
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

/** The password with which the proxy connects to the nodes as crm_functions. */
export async function functionsPassword(proxy: Sql): Promise<string> {
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
