// Transactions that run as the role of a request, and transactions that are rolled back.
import type { Sql, TransactionSql } from "postgres";

export async function rolledBack(sql: Sql, work: (sql: TransactionSql) => Promise<void>): Promise<void> {
  const undo = new Error("undone");
  await sql.begin(async (sql) => {
    await work(sql);
    throw undo;
  }).catch((error) => {
    if (error !== undo) throw error;
  });
}

/** Makes the rest of the transaction run as a role of the verbs: row-level security then limits it to one workspace. */
export async function actAs(
  sql: TransactionSql,
  role: "crm_api" | "crm_app",
  workspaceId: string,
): Promise<void> {
  await sql.unsafe(`set local role ${role}`);
  await sql`select set_config('app.workspace_id', ${workspaceId}, true)`;
}

/** Runs `work` in a transaction as the role of the verbs that keys call. */
export async function asCrmApi<T>(
  sql: Sql,
  workspaceId: string,
  work: (sql: TransactionSql) => Promise<T>,
): Promise<T> {
  return await sql.begin(async (sql) => {
    await actAs(sql, "crm_api", workspaceId);
    return await work(sql);
  }) as T;
}

/** Makes a member the caller of the rest of the transaction, as app.call does. */
export async function actAsMember(sql: TransactionSql, memberId: string): Promise<void> {
  await sql`select set_config('app.caller', ${`${memberId} ${memberId}`}, true)`;
}
