import postgres from "postgres";
import { readSettings } from "../local/settings.ts";
import { openSql } from "../local/sql.ts";
import { firstLine } from "../local/stack_error.ts";
import { readStackFile } from "../local/stack_file.ts";

const CONNECT_TIMEOUT_S = 5;
const CLOSE_TIMEOUT_S = 1;

/**
 * Calls `use` with a connection to the operator's database: DATABASE_URL, else the stack that runs on DATA_DIR.
 * @throws StackError if there is neither.
 */
export async function withDatabase<Result>(use: (sql: postgres.Sql) => Promise<Result>): Promise<Result> {
  const { databaseUrl, dataDir } = readSettings();
  const sql = openSql(databaseUrl ?? (await readStackFile(dataDir)).database_url, {
    max: 1,
    // Supabase's transaction pooler does not support named statements.
    prepare: false,
    connect_timeout: CONNECT_TIMEOUT_S,
    connection: { application_name: "crm-cli" },
  });
  try {
    await checkConnection(sql);
    return await use(sql);
  } finally {
    await sql.end({ timeout: CLOSE_TIMEOUT_S });
  }
}

/** Connects within a time limit: the driver would retry for ever if a tunnel dropped its connections. */
async function checkConnection(sql: postgres.Sql): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(Object.assign(new Error(), { code: "CONNECT_TIMEOUT" })),
      CONNECT_TIMEOUT_S * 1000,
    );
  });
  try {
    await Promise.race([sql`select`, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

// Codes of the driver, of the network, and of Postgres (classes 08 connection, 53 resources, 57 operator intervention).
const UNREACHABLE = /^(CONNECT|ECONN|EPIPE|ENOTFOUND|EHOSTUNREACH|ETIMEDOUT|08|53|57)/;

/** Describes a database error in one line that says what to do; null for an unknown error. */
export function describeDatabaseError(error: unknown): string | null {
  if (error instanceof Error && /certificate/.test(error.message)) {
    return `The database's certificate is not trusted (${
      firstLine(error)
    }): set DATABASE_CA to the text of its authority's`;
  }
  const { code } = error as { code?: unknown };
  if (typeof code !== "string") return null;
  if (UNREACHABLE.test(code)) {
    return "The database cannot be reached: start it with `deno task start`, or correct DATABASE_URL";
  }
  if (!(error instanceof postgres.PostgresError)) return null;
  if (/^(28|3D)/.test(code)) return `The database refuses the connection (${code}): correct DATABASE_URL`;
  if (/^(3F000|42P01|42883)$/.test(code)) {
    return "The database lacks what this command needs: apply the migrations with `deno task start` or `deno task deploy`";
  }
  if (code === "42501") {
    return "The role in DATABASE_URL may not do this: use the one that applied the migrations";
  }
  return null;
}
