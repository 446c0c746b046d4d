import { Socket } from "node:net";
import postgres from "postgres";
import { restoreLineBreaks } from "../../supabase/functions/_shared/postgres/connection.ts";
import { deadlines } from "../../supabase/functions/_shared/runtime/deadlines.ts";
import { StackError } from "./stack_error.ts";

/** Whether the driver can use TLS. Before Deno 2.5 it hangs. */
export const TLS_SUPPORTED = !/^2\.[0-4]\./.test(Deno.version.deno);

/**
 * Creates a client for tools and tests, which is closed when the scope ends (`await using`). The functions have their
 * own (`_shared/postgres/database.ts`). DATABASE_CA is the certificate (PEM) of the authority that a URL with
 * `sslmode=verify-full` trusts.
 * @throws StackError for such a URL before Deno 2.5.
 */
export function openSql(
  url: string,
  options: postgres.Options<Record<string, never>> = {},
): postgres.Sql & AsyncDisposable {
  const ca = restoreLineBreaks(Deno.env.get("DATABASE_CA") ?? "");
  const verified = URL.canParse(url) && new URL(url).searchParams.get("sslmode") === "verify-full";
  if (verified && !TLS_SUPPORTED) {
    throw new StackError(`TLS to the database needs Deno 2.5 or newer, and this is ${Deno.version.deno}`);
  }
  const sql = postgres(url, { onnotice: () => {}, ...(verified && ca && { ssl: { ca } }), ...options });
  return Object.assign(sql, { [Symbol.asyncDispose]: () => sql.end({ timeout: 1 }) });
}

/** Opens one connection, which may go through a pooler. */
export function openConnection(url: string, applicationName: string, timeoutS: number) {
  return openSql(url, {
    max: 1,
    // Supabase's transaction pooler does not support named statements.
    prepare: false,
    connect_timeout: timeoutS,
    // No maximum age, because the session-level lock of a move must not end while the move runs.
    max_lifetime: null,
    connection: { application_name: applicationName },
  });
}

/** Whether the database has this table or view. */
export async function hasTable(sql: postgres.ISql, name: string): Promise<boolean> {
  const [{ exists }] = await sql<[{ exists: boolean }]>`select to_regclass(${name}) is not null as exists`;
  return exists;
}

/** Whether an error code of the driver, the network or Postgres (08, 53, 57) says that the database is unreachable. */
export function isUnreachable(code: string): boolean {
  return /^(CONNECT|ECONN|EPIPE|ENOTFOUND|EHOSTUNREACH|ETIMEDOUT|08|53|57)/.test(code);
}

/**
 * Waits for a client's first answer. After `seconds` it closes the client, and each later query fails. Without this
 * limit, the driver would retry for ever if a tunnel drops the connections.
 * @throws Error with the code CONNECT_TIMEOUT, or what the query throws
 */
export function firstAnswer<Answer>(
  sql: postgres.Sql,
  query: Promise<Answer>,
  seconds: number,
): Promise<Answer> {
  const createError = () => {
    void sql.end({ timeout: 0 });
    return Object.assign(new Error(`no answer within ${seconds} s`), { code: "CONNECT_TIMEOUT" });
  };
  return deadlines.enforce(seconds * 1000, createError, query);
}

// Ignores a write of `null`: its error would end the process, and nothing can catch it. On Deno 2.1 postgres.js writes
// `null` if the timer that sends its buffer fires after being cleared (denoland/deno#29262).
const { prototype } = Socket;
const write = prototype.write as (...args: unknown[]) => boolean;
prototype.write = function (this: Socket, ...args: unknown[]): boolean {
  return args[0] === null || write.apply(this, args);
};
