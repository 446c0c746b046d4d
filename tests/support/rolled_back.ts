import type { Sql, TransactionSql } from "postgres";

/** Runs `work` in a transaction, and rolls it back. */
export async function rolledBack(sql: Sql, work: (sql: TransactionSql) => Promise<void>): Promise<void> {
  const undo = new Error("undone");
  await sql.begin(async (sql) => {
    await work(sql);
    throw undo;
  }).catch((error) => {
    if (error !== undo) throw error;
  });
}
