// Adding a node and creating a workspace: every proxy learns where the workspaces live.
import type { Sql } from "postgres";
import { migrate } from "../local/migrate.ts";
import { firstLine, StackError } from "../local/stack_error.ts";
import { FUNCTIONS_ROLE, setFunctionsPassword } from "../operator/functions_password.ts";
import { slotOf } from "../../supabase/functions/_shared/contract/credentials.ts";
import { describeNode } from "./move_checks.ts";
import { atDatabase, isProxy, nodeNumbers, operatorUrl } from "./nodes.ts";
import { atAllProxies, functionsPassword, makeProxy } from "./proxies.ts";
import { installNode } from "./install.ts";

export interface NewNode {
  /** The URL for the operator and other nodes: without a pooler, as a role that may create subscriptions. */
  url: string;
  /** How the proxy reaches the node: a connection string of libpq. If undefined, it is derived from `url`. */
  connection: string | undefined;
  /** The password of crm_functions. Only the first node needs it. */
  password: string | undefined;
}

/**
 * Adds a node, whose workspaces can then be called through all proxies. For the first node, `proxy` is an empty
 * database in a Postgres with PL/Proxy, which becomes a proxy.
 * @returns the number of the node
 */
export async function addNode(proxy: Sql, { url, connection, password }: NewNode): Promise<number> {
  return await atAllProxies(proxy, async (proxies) => {
    const reached = connection ?? libpq(url);
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
  });
}

/** How many nodes a proxy has; 0 if the database is not a proxy yet. */
async function countNodes(proxy: Sql): Promise<number> {
  return await isProxy(proxy) ? (await nodeNumbers(proxy)).length : 0;
}

/** Makes sure that a node can take workspaces of node 0. */
async function matchFirst(proxy: Sql, sql: Sql): Promise<void> {
  const first = await atDatabase(await operatorUrl(proxy, 0), describeNode);
  if (first.columns !== (await describeNode(sql)).columns) {
    throw new StackError("The new node has other tables than node 0: deploy the same release to both nodes");
  }
  // Both nodes need the same secret, so that the cursors of the feed's readers stay valid after a move.
  await sql`
    update crm.feed_offset set cursor_secret = decode(${first.secret}, 'hex')
    where not exists (select from crm.workspaces)
  `;
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
 * Tells the proxies the slots of these workspaces' keys and links. Without this, the proxies would send a call to node
 * 0 if its key or link names no slot.
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
