// @ts-types="@types/pg"
import pg from "pg";
import { Deadlines } from "./deadlines.ts";
import { FairShare } from "./fair_share.ts";
import { log } from "../runtime/log.ts";

/** Milliseconds that a statement may take. */
const STATEMENT_MS = 10_000;
/** Milliseconds to wait for a connection: for the network, or for another request to be done with it. */
const CONNECT_MS = 5_000;
const IDLE_MS = 60_000;
const DEFAULT_POOL_SIZE = 4;

/** One statement with its parameters; `name` must stand for this text alone. */
export interface Statement {
  name: string;
  text: string;
  values?: unknown[];
  /** Milliseconds; 10,000 where left out. */
  timeout?: number;
  /** Whose connection it is: one owner has at most half of the pool at the same time. */
  owner?: string;
}

/** The database is away, starting, full or too slow: the same statement may succeed later. */
export class DatabaseUnavailable extends Error {
  override readonly name = "DatabaseUnavailable";
  readonly code = "service_unavailable";
}

let pool: pg.Pool | undefined;

const poolSize = () => Number(Deno.env.get("DATABASE_POOL_SIZE") || DEFAULT_POOL_SIZE);
const deadlines = new Deadlines();
const shares = new FairShare(Math.max(1, Math.floor(poolSize() / 2)));

function connect(): pg.Pool {
  pool = new pg.Pool({
    connectionString: Deno.env.get("DATABASE_URL") || Deno.env.get("SUPABASE_DB_URL"),
    application_name: "crm-api",
    max: poolSize(),
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: IDLE_MS,
  });
  // The pool has dropped the connection already; without a listener the error would end the isolate.
  pool.on("error", (error) => log("connection_lost", { error: error.message }));
  // One that breaks at work fails its statement as well; without a listener of its own it would end the isolate too.
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

/**
 * The rows of one statement, over this isolate's connection pool, which is made at first use.
 * Environment: DATABASE_URL, else SUPABASE_DB_URL (which Supabase sets and does not let one change);
 * DATABASE_PREPARE=true on a direct connection (a transaction pooler keeps no named statements);
 * DATABASE_POOL_SIZE, 4 where not set.
 *
 * @throws {DatabaseUnavailable} when another try may succeed
 */
export async function query<Row>({ owner, ...statement }: Statement): Promise<Row[]> {
  if (owner === undefined) return await send(statement);
  return await shares.run(
    owner,
    CONNECT_MS,
    () => new DatabaseUnavailable(),
    () => send(statement),
  );
}

async function send<Row>({ name, text, values = [], timeout }: Omit<Statement, "owner">): Promise<Row[]> {
  const prepare = Deno.env.get("DATABASE_PREPARE") === "true";
  let client: pg.PoolClient | undefined;
  let lost = false;
  try {
    client = await (pool ?? connect()).connect();
    const sent = client.query<Row & pg.QueryResultRow>({ text, values, ...(prepare && { name }) });
    const { rows } = await deadlines.within(timeout ?? STATEMENT_MS, () => new Error("Too slow"), sent);
    return rows;
  } catch (error) {
    // A connection that is too slow is still busy, and with what, nobody knows.
    lost = isUnavailable(error);
    throw lost ? new DatabaseUnavailable("The database is unavailable", { cause: error }) : error;
  } finally {
    client?.release(lost);
  }
}

/** Closes the pool; the next query opens another. */
export async function closeDatabase(): Promise<void> {
  const closing = pool;
  pool = undefined;
  await closing?.end();
}

/**
 * True if another try may succeed: the error is of the network or the driver's timeouts, or of Postgres itself (classes 08 connection, 40 rollback, 53 resources, 57 operator intervention; 55P03 a lock waited for in vain).
 */
function isUnavailable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(08|40|53|57|55P03)/.test(error.code ?? "");
  return !(error instanceof TypeError);
}
