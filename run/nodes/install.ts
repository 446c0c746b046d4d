import { createHash } from "node:crypto";
import type { ISql, Sql } from "postgres";

/** How the proxy reaches the nodes. */
interface Nodes {
  /** Connection strings of libpq by the node's number, without user and password. */
  connections: readonly string[];
  /** The password of crm_functions, which is the same on every node. */
  password: string;
}

const read = (file: string) => Deno.readTextFile(new URL(file, import.meta.url));

/** The SQL of a proxy, in the order in which it runs. */
async function readProxySql(): Promise<[routing: string, generated: string, byHand: string]> {
  // Imported only now, because the schemas of all resources would delay each command.
  const { generateDoors } = await import("../../tools/nodes/doors.ts");
  return [await read("proxy.sql"), await generateDoors(), await read("doors.sql")];
}

const digestOf = (texts: string[]) => createHash("sha256").update(texts.join("")).digest("hex");

/** Whether a proxy has the SQL of this release. */
export async function isCurrent(proxy: ISql): Promise<boolean> {
  const [row] = await proxy`select obj_description('nodes'::regnamespace, 'pg_namespace') as digest`;
  return row!["digest"] === digestOf(await readProxySql());
}

/**
 * Seconds after which a call to a node counts as failed. Longer than the `statement_timeout` of a node, 8 s, and
 * shorter than the 10 s for which the functions wait.
 */
const CALL_TIMEOUT_S = 9;
/** The timeout for calls that go to all nodes in turn. It is shorter, because several nodes may hang. */
const EACH_TIMEOUT_S = 3;
/** Seconds after which a connection to a node is replaced. */
const LIFETIME_S = 1_800;

/**
 * Turns an empty database, in a Postgres 15 with PL/Proxy, into the proxy of these nodes.
 * @param sql as superuser, because only a superuser creates functions in PL/Proxy
 */
export async function installProxy(sql: Sql, { connections, password }: Nodes): Promise<void> {
  const texts = await readProxySql();
  const [routing, generated, byHand] = texts;
  await sql.begin(async (sql) => {
    await sql.unsafe(routing);
    for (const [server, timeout] of [["crm", CALL_TIMEOUT_S], ["crm_each", EACH_TIMEOUT_S]] as const) {
      // PL/Proxy refuses a server without nodes.
      await sql.unsafe(`
        create server ${server} foreign data wrapper plproxy options (
          modular_mapping '1', connection_lifetime '${LIFETIME_S}', query_timeout '${timeout}',
          p0 ${await quoteLiteral(sql, connections[0]!)}
        );
        create user mapping for current_user server ${server}
          options (user 'crm_functions', password ${await quoteLiteral(sql, password)});`);
    }
    await sql.unsafe(generated);
    await sql.unsafe(byHand);
    await sql.unsafe(`comment on schema nodes is '${digestOf(texts)}'`);
    for (const [node, connection] of connections.entries()) {
      await sql`select nodes.set_node(${node}, ${connection})`;
    }
  });
}

/** A text as an SQL literal, for statements that accept no parameters. */
export async function quoteLiteral(sql: ISql, text: string): Promise<string> {
  const [row] = await sql<{ literal: string }[]>`select quote_literal(${text}) as literal`;
  return row!.literal;
}

/** Makes a migrated database the node with this number. @param sql as the owner of the schema */
export async function installNode(sql: Sql, node: number): Promise<void> {
  const text = await read("node.sql");
  await sql.begin(async (sql) => {
    await sql.unsafe(text);
    await sql`select nodes.become(${node})`;
  });
}
