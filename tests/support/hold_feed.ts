import { openDatabase } from "./stack.ts";

/**
 * Holds a writing transaction open until the scope ends (`await using`). Until then the feed does not show later
 * events, and the job `index-texts` does not index them.
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
