import type { Sql, TransactionSql } from "postgres";

/** Writes what follows in the transaction in the name of a member, as app.call has it (crm.current_caller_id). */
export async function actAsMember(sql: Sql | TransactionSql, memberId: string): Promise<void> {
  await sql`select set_config('app.caller', ${`${memberId} ${memberId}`}, true)`;
}
