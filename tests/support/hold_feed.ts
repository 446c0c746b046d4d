import { openDatabase } from "./stack.ts";

/**
 * Begins a transaction that writes, and ends it with the scope (`await using`): what is committed meanwhile may have been
 * preceded by it, so neither the feed nor the job that keeps the texts of searches goes past it.
 */
export async function holdFeed(): Promise<AsyncDisposable> {
  const sql = openDatabase();
  const session = await sql.reserve();
  await session`begin`;
  await session`select pg_current_xact_id()`;
  return {
    async [Symbol.asyncDispose]() {
      await session`rollback`;
      session.release();
      await sql[Symbol.asyncDispose]();
    },
  };
}
