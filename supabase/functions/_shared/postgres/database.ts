// @ts-types="@types/pg"
import type pg from "pg";
import { ConnectBackoff, ConnectingPaused } from "./backoff.ts";
import { type ConnectionSettings, readConnection } from "./connection.ts";
import { isDatabaseError } from "./database_error.ts";
import { deadlines } from "../runtime/deadlines.ts";
import { FairShare, type Owner } from "./fair_share.ts";
import { log } from "../runtime/log.ts";
import { PIPELINES, Pipelines } from "./pipelines.ts";

/** Default timeout of a statement, in milliseconds. */
const STATEMENT_MS = 10_000;
/** Timeout for getting a connection, new or released by another request, in milliseconds. */
const CONNECT_MS = 5_000;
const DEFAULT_POOL_SIZE = 4;

export type Value = string | number | null | undefined;

/** One statement with its parameters. A `name` always has the same `text`. */
export interface Statement {
  name: string;
  text: string;
  values?: readonly Value[];
  /** Milliseconds; 10,000 by default. */
  timeout?: number;
  /** The workspace that the statement is for. One owner uses at most half of the pool at the same time. */
  owner?: Owner;
  /**
   * Whether the statement reads little, and waits for no lock except on its caller's rate limit. With a direct
   * connection such a statement is sent in a pipeline (pipelines.ts), and again if the pipeline's connection fails.
   */
  isShortRead?: boolean | undefined;
}

/** The database is unreachable, is starting, has no free connection or is too slow. A retry may succeed. */
export class DatabaseUnavailable extends Error {
  override readonly name = "DatabaseUnavailable";
  readonly code = "service_unavailable";
  /** Seconds until the next attempt to connect; undefined if there is no pause. */
  readonly retryAfter: number | undefined;
  /**
   * Whether the statement took too long. It has used resources, but if its transaction was rolled back, the rate limit
   * has not counted the call.
   */
  readonly wasCancelled: boolean;

  constructor(
    message = "The database is unavailable",
    options?: ErrorOptions & { retryAfter?: number; wasCancelled?: boolean },
  ) {
    super(message, options);
    this.retryAfter = options?.retryAfter;
    this.wasCancelled = options?.wasCancelled ?? false;
  }
}

/** The statement exceeded its timeout, so nobody waits for it any more. */
class TooSlow extends Error {}

let pool: pg.Pool | undefined;
/** Undefined without a direct connection. */
let pipelines: Pipelines | undefined;
let opening: Promise<pg.Pool> | undefined;
let backoff = new ConnectBackoff();
let misconfigured = false;

const isDirect = () => Deno.env.get("DATABASE_PREPARE") === "true";
const poolSize = () => Number(Deno.env.get("DATABASE_POOL_SIZE") || DEFAULT_POOL_SIZE);
// Counts an invalid size as 1. The error is reported when the pool opens.
const fairShare = new FairShare(Math.max(1, Math.floor(poolSize() / 2) || 1), poolSize() || 1);

/** Opens the pool, once for all simultaneous calls. After a failure the next call tries again. */
async function openPool(): Promise<pg.Pool> {
  opening ??= createConfiguredPool().then((created) => pool = created).finally(() => opening = undefined);
  return await opening;
}

/** @throws {DatabaseUnavailable} for unusable variables, which are logged once */
async function createConfiguredPool(): Promise<pg.Pool> {
  let settings: ConnectionSettings;
  try {
    checkPoolSize();
    settings = readConnection();
  } catch (error) {
    if (!misconfigured) log("database_misconfigured", { error: String(error) });
    misconfigured = true;
    throw new DatabaseUnavailable("The database is not configured", { cause: error });
  }
  const { createPool } = await import("./pool.ts");
  const options = { connectMs: CONNECT_MS, backoff };
  if (isDirect()) {
    pipelines = new Pipelines(createPool(settings, { ...options, max: PIPELINES, pipeline: true }));
  }
  return createPool(settings, { ...options, max: poolSize() });
}

/** @throws Error if the size is not a whole number above 0, because then no call would get a connection */
function checkPoolSize(): void {
  if (Number.isInteger(poolSize()) && poolSize() >= 1) return;
  throw new Error("DATABASE_POOL_SIZE is not a whole number of 1 or more: correct it, or unset it");
}

/**
 * Runs one statement and returns its rows. The first call creates the isolate's connection pool. Environment:
 * DATABASE_URL, as role crm_functions, and DATABASE_CA (see connection.ts); DATABASE_PREPARE=true for a direct
 * connection (a transaction pooler supports neither named statements nor pipelines); DATABASE_POOL_SIZE, 4 by default.
 * With a direct connection, two more connections serve short reads.
 *
 * @throws {DatabaseUnavailable} if a retry may succeed
 */
export async function query<Row>({ owner, isShortRead, ...statement }: Statement): Promise<Row[]> {
  // Wait until the pool may connect again, and only then take one of the owner's places (fair_share.ts). Meanwhile
  // other statements of the owner can use the place.
  if (backoff.pauseMs > 0 && pool?.idleCount === 0) await backoff.waitOutShortPause();
  const run = () => isShortRead ? runShortRead<Row>(statement) : runStatement<Row>(statement);
  if (owner === undefined) return await run();
  return await fairShare.run(owner, CONNECT_MS, () => new DatabaseUnavailable(), run);
}

/** Whether a further statement of this owner would have to wait for a place. */
export function isBusy(owner: string): boolean {
  return fairShare.isBusy(owner);
}

/** Whether no statement with an owner runs or waits for a connection. */
export function isIdle(): boolean {
  return fairShare.isIdle;
}

/** Runs a statement in a pipeline, or on a connection of its own if no pipeline has room or the pipeline fails. */
async function runShortRead<Row>(statement: Statement): Promise<Row[]> {
  try {
    const rows = await pipelines?.run<Row & pg.QueryResultRow>(
      queryOf(statement),
      (reply) => enforceTimeout(statement, reply),
    );
    if (rows) return rows;
  } catch (error) {
    // A statement that was slow itself is not sent again, because it would be slow again.
    if (isTooSlow(error) || !isUnavailable(error)) throw asUnavailable(error);
  }
  return await runStatement(statement);
}

async function runStatement<Row>(statement: Statement): Promise<Row[]> {
  let client: pg.PoolClient | undefined;
  let unavailable = false;
  try {
    client = await checkOut(pool ?? await openPool());
    const { rows } = await enforceTimeout(
      statement,
      client.query<Row & pg.QueryResultRow>(queryOf(statement)),
    );
    return rows;
  } catch (error) {
    if (client === undefined) throw connectError(error);
    // After a timeout the connection is still busy with the statement, so the pool must not reuse it.
    unavailable = isUnavailable(error);
    throw asUnavailable(error);
  } finally {
    client?.release(unavailable);
  }
}

function queryOf({ name, text, values = [] }: Statement): pg.QueryConfig {
  return { text, values: [...values], ...(isDirect() && { name }) };
}

function enforceTimeout<T>({ timeout = STATEMENT_MS }: Statement, sent: Promise<T>): Promise<T> {
  return deadlines.enforce(timeout, () => new TooSlow(), sent);
}

/** Gets a connection from the pool, within {@link CONNECT_MS}. */
async function checkOut(pool: pg.Pool): Promise<pg.PoolClient> {
  // An idle connection is returned at once, so no deadline is needed.
  if (pool.idleCount > pool.waitingCount) return await pool.connect();
  const connecting = pool.connect();
  try {
    return await deadlines.enforce(CONNECT_MS, () => new Error("No connection in time"), connecting);
  } catch (error) {
    // A connection that comes too late is released for the next call.
    connecting.then((late) => late.release(), () => {});
    throw error;
  }
}

/** Closes all connections. The next query reads the environment again and opens new connections. */
export async function closeDatabase(): Promise<void> {
  const closing = [pool ?? await opening?.catch(() => undefined), pipelines];
  pool = pipelines = undefined;
  backoff = new ConnectBackoff();
  misconfigured = false;
  await Promise.all(closing.map((connections) => connections?.end()));
}

/**
 * Without a connection the statement was not sent, so a retry may succeed, whatever the error was. The backoff has
 * logged the error.
 */
function connectError(error: unknown): DatabaseUnavailable {
  if (error instanceof DatabaseUnavailable) return error;
  const paused = backoff.pauseMs > 0 || error instanceof ConnectingPaused;
  const retryAfter = Math.max(1, Math.ceil(backoff.pauseMs / 1000));
  return new DatabaseUnavailable(undefined, { cause: error, ...(paused && { retryAfter }) });
}

/**
 * Whether a retry may succeed: after a network error, a timeout, or one of these errors of Postgres. Classes: 08
 * connection, 40 rollback, 53 resources, 57 operator intervention. Codes: 25006 read-only (a replica after a failover,
 * or a full disk), 55P03 lock timeout.
 */
function isUnavailable(error: unknown): boolean {
  if (isDatabaseError(error)) return /^(08|40|53|57|25006|55P03)/.test(error.code ?? "");
  return !(error instanceof TypeError);
}

/** The error for the caller: {@link DatabaseUnavailable} if a retry may succeed, otherwise the error itself. */
function asUnavailable(error: unknown): unknown {
  if (!isUnavailable(error)) return error;
  return new DatabaseUnavailable(undefined, { cause: error, wasCancelled: isCancelled(error) });
}

/** Whether a statement took too long: it exceeded a timeout, or Postgres's lock timeout. */
function isCancelled(error: unknown): boolean {
  return isTooSlow(error) || (isDatabaseError(error) && error.code === "55P03");
}

/** Whether a statement exceeded its timeout here, or Postgres's statement timeout. */
function isTooSlow(error: unknown): boolean {
  return error instanceof TooSlow || (isDatabaseError(error) && error.code === "57014");
}
