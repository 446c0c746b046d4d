import postgres from "postgres";
import { readSettings } from "../local/settings.ts";
import { isUnreachable } from "../local/sql.ts";
import { firstLine, StackError } from "../local/stack_error.ts";
import { readStackFile } from "../local/stack_file.ts";
import { atDatabase, atFirst, isProxy, nodeNumbers, nodeOfWorkspace } from "../nodes/nodes.ts";

/** How a command finds its node, if the database is a proxy (docs/scale.md). */
export interface Where {
  node?: number | undefined;
  /** A workspace that the command names. */
  workspace?: string | undefined;
}

/**
 * Calls `use` with a connection to the operator's database: DATABASE_URL, or the stack that runs on DATA_DIR. If that
 * database is a proxy, connects to the node that has the command's records.
 * @throws StackError if DATABASE_URL is not set and no stack is running.
 */
export function withDatabase<Result>(
  use: (sql: postgres.Sql) => Promise<Result>,
  { node, workspace }: Where = {},
): Promise<Result> {
  return withOperatorDatabase(async (sql, isProxy) => {
    if (!isProxy) {
      refuseNode(node);
      return await use(sql);
    }
    const named = node ?? (workspace === undefined ? null : await nodeOfWorkspace(sql, workspace));
    return await atFirst(sql, named === null ? await nodeNumbers(sql) : [named], use);
  });
}

/** @throws StackError if the operator named a node of a database that is not a proxy. */
export function refuseNode(node: number | undefined): void {
  if (node !== undefined) throw new StackError("--node needs the address of a proxy in DATABASE_URL");
}

/**
 * Calls `use` with a connection to the proxy in DATABASE_URL.
 * @throws StackError if the database is not a proxy
 */
export function withProxy<Result>(use: (proxy: postgres.Sql) => Promise<Result>): Promise<Result> {
  return withOperatorDatabase((sql, isProxy) => {
    if (isProxy) return use(sql);
    throw new StackError("DATABASE_URL is not the address of a proxy: `deno task crm node add` makes one");
  });
}

/** Like withDatabase, but if the database is a proxy, the connection is to the proxy and not to a node. */
export async function withOperatorDatabase<Result>(
  use: (sql: postgres.Sql, isProxy: boolean) => Promise<Result>,
): Promise<Result> {
  const { databaseUrl, dataDir } = readSettings();
  const url = databaseUrl ?? (await readStackFile(dataDir)).database_url;
  return await atDatabase(url, async (sql) => await use(sql, await isProxy(sql)));
}

/** Describes the error that ended a command, in one line. */
export function describeFailure(error: unknown): string {
  if (error instanceof StackError) return error.message;
  return describeDatabaseError(error) ?? `Unexpected: ${firstLine(error)}`;
}

/** Describes a database error in one line that says what to do; null for an unknown error. */
export function describeDatabaseError(error: unknown): string | null {
  if (error instanceof Error && /certificate/.test(error.message)) {
    return `The database's certificate is not trusted (${firstLine(error)}): ` +
      "set DATABASE_CA to the certificate (PEM) of the authority that signed it";
  }
  const { code } = error as { code?: unknown };
  if (typeof code !== "string") return null;
  if (isUnreachable(code)) {
    return "The database cannot be reached: start it with `deno task start`, or correct DATABASE_URL";
  }
  if (!(error instanceof postgres.PostgresError)) return null;
  if (/^(28|3D)/.test(code)) return `The database refuses the connection (${code}): correct DATABASE_URL`;
  if (/^(3F000|42P01|42883)$/.test(code)) {
    return "The database lacks what this command needs: apply the migrations with `deno task start` or `deno task deploy`";
  }
  if (code === "55P03") return "The records are locked, or their workspace is moving: try again";
  if (code === "42501") {
    return "The role in DATABASE_URL may not do this: use the role that applied the migrations";
  }
  return null;
}
