// @ts-types="@types/pg"
import type pg from "pg";
import { isDatabaseError } from "./database_error.ts";

/** Two connections keep the processors of a small database busy. */
export const PIPELINES = 2;
/** Maximum statements under way on a connection. */
const DEPTH = 32;
/** Milliseconds without a reply after which a connection gets no further statements. */
const STALL_MS = 100;

/** A connection with statements under way. */
interface Pipeline {
  /** A promise, so that a second statement can use the connection while the pool is still handing it out. */
  readonly client: Promise<pg.PoolClient>;
  pending: number;
  /** The time of the last reply, or of the first statement, in milliseconds of `performance.now()`. */
  since: number;
}

/**
 * Sends short reads one after the other on a few connections without waiting for the replies. When Postgres has
 * answered a statement, the next statement is there already, and several replies arrive together. Postgres and this
 * process therefore wake up less often.
 */
export class Pipelines {
  readonly #pool: pg.Pool;
  /** The connections that are checked out of the pool. */
  readonly #busy = new Set<Pipeline>();

  /** @param pool {@link PIPELINES} connections that send each statement at once (`pipeline` of `pg`) */
  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /**
   * Sends a statement; returns undefined if no connection has room for it. In that case, and if the connection fails,
   * the caller needs a connection of its own.
   *
   * @param enforce rejects if the reply takes too long; the connection is then closed, and other statements on it fail
   */
  async run<Row extends pg.QueryResultRow>(
    statement: pg.QueryConfig,
    enforce: (reply: Promise<pg.QueryResult<Row>>) => Promise<pg.QueryResult<Row>>,
  ): Promise<Row[] | undefined> {
    const pipeline = this.#checkOutIdle() ?? this.#findRoom();
    if (pipeline === undefined) return undefined;
    pipeline.pending++;
    let client: pg.PoolClient | undefined;
    let failed = false;
    try {
      client = await pipeline.client;
      return (await enforce(client.query<Row>(statement))).rows;
    } catch (error) {
      failed = !isDatabaseError(error);
      if (failed) client?.connection.stream.destroy();
      throw error;
    } finally {
      pipeline.since = performance.now();
      if (--pipeline.pending === 0) {
        this.#busy.delete(pipeline);
        client?.release(failed);
      }
    }
  }

  async end(): Promise<void> {
    await this.#pool.end();
  }

  #checkOutIdle(): Pipeline | undefined {
    const { idleCount, waitingCount, totalCount } = this.#pool;
    if (idleCount > waitingCount) {
      const pipeline = { client: this.#pool.connect(), pending: 0, since: performance.now() };
      this.#busy.add(pipeline);
      return pipeline;
    }
    // Opens a connection for later statements. The present statement does not wait for it.
    if (totalCount < PIPELINES) this.#pool.connect().then((client) => client.release(), () => {});
    return undefined;
  }

  #findRoom(): Pipeline | undefined {
    const latest = performance.now() - STALL_MS;
    let found: Pipeline | undefined;
    for (const pipeline of this.#busy) {
      if (pipeline.pending === DEPTH || pipeline.since < latest) continue;
      if (found === undefined || pipeline.pending < found.pending) found = pipeline;
    }
    return found;
  }
}
