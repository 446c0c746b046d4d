// The nodes as the operator sees them, from a proxy.
import type { Sql } from "postgres";
import { StackError } from "../local/stack_error.ts";

/** Where the operator reaches a node. @throws StackError if the proxy does not know. */
export async function operatorUrl(proxy: Sql, node: number): Promise<string> {
  const [row] = await proxy<{ url: string }[]>`select url from nodes.operators where node = ${node}`;
  if (row === undefined) throw new StackError(`There is no node ${node}: see \`deno task crm node list\``);
  return row.url;
}
