import type { Sql, TransactionSql } from "postgres";

/** Makes a member the caller of the rest of the transaction, as app.call does. */
export async function actAsMember(sql: Sql | TransactionSql, memberId: string): Promise<void> {
  await sql`select set_config('app.caller', ${`${memberId} ${memberId}`}, true)`;
}
