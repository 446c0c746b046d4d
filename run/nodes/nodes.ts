// Nodes as a proxy lists them: their addresses, and where each workspace lives.
import type { Sql } from "postgres";
import { firstAnswer, hasTable, openConnection } from "../local/sql.ts";
import { StackError } from "../local/stack_error.ts";
import { OperatorError } from "../operator/errors.ts";
import { slotOf } from "../../supabase/functions/_shared/contract/credentials.ts";

const CONNECT_TIMEOUT_S = 5;

/**
 * Opens the operator's connection to a database, node or proxy. It is closed when the scope ends (`await using`).
 * @throws the reason if the database does not answer
 */
export async function openAt(url: string, applicationName = "crm-cli"): Promise<Sql & AsyncDisposable> {
  const sql = openConnection(url, applicationName, CONNECT_TIMEOUT_S);
  try {
    await firstAnswer(sql, sql`select`, CONNECT_TIMEOUT_S);
    return sql;
  } catch (error) {
    await sql.end({ timeout: 1 });
    throw error;
  }
}

/** Calls `use` with the operator's connection to a database, node or proxy, and closes it after the work. */
export async function atDatabase<Result>(url: string, use: (sql: Sql) => Promise<Result>): Promise<Result> {
  await using sql = await openAt(url);
  return await use(sql);
}

export async function isProxy(sql: Sql): Promise<boolean> {
  return await hasTable(sql, "nodes.slots");
}

export interface Node {
  node: number;
  /** The URL for the operator. */
  url: string;
}

/** The nodes of a proxy, in order. */
export async function listNodes(proxy: Sql): Promise<Node[]> {
  return await proxy<Node[]>`select node, url from nodes.operators order by node`;
}

/** The URL at which the operator reaches a node. @throws StackError if the proxy has no such node. */
export async function operatorUrl(proxy: Sql, node: number): Promise<string> {
  const [row] = await proxy<{ url: string }[]>`select url from nodes.operators where node = ${node}`;
  if (row === undefined) throw new StackError(`There is no node ${node}: see \`deno task crm node list\``);
  return row.url;
}

export async function nodeNumbers(proxy: Sql): Promise<number[]> {
  return (await listNodes(proxy)).map(({ node }) => node);
}

/** The node of a workspace; null if the proxy does not know the workspace. */
export async function nodeOfWorkspace(proxy: Sql, workspaceId: string): Promise<number | null> {
  if (!/^[0-9a-f-]{36}$/i.test(workspaceId)) return null;
  const [row] = await proxy`select node from nodes.slots where slot = ${slotOf(workspaceId)}`;
  return row?.["node"] ?? null;
}

/**
 * Calls `use` for one node after the other, until a node has the records of the command. This is safe: at a node
 * without them the verb raises not_found and changes nothing.
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
