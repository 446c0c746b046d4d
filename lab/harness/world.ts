import type { Sql } from "postgres";
import { type OwnPostgres, startOwnPostgres } from "../../local/own_postgres.ts";
import { openSql } from "../../local/sql.ts";

/** What is measured runs on this: a Postgres of its own with the migrations, and a connection to it. */
export interface World extends OwnPostgres, AsyncDisposable {
  sql: Sql;
}

/** @param max connections of `sql` */
export async function openWorld({ max = 1 } = {}): Promise<World> {
  const postgres = await startOwnPostgres("crm-lab-");
  const sql = openSql(postgres.databaseUrl, { max });
  return {
    ...postgres,
    sql,
    async [Symbol.asyncDispose]() {
      await sql.end({ timeout: 1 });
      await postgres.close();
    },
  };
}
