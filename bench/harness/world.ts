import { startOwnPostgres } from "../../run/local/own_postgres.ts";
import { openSql } from "../../run/local/sql.ts";

/** Opens a client of a database, which is closed when the scope ends (`await using`). */
export function connect(databaseUrl: string, max = 1) {
  return openSql(databaseUrl, { max });
}

/** Starts a Postgres with the migrations, and connects to it. @param max connections of `sql` */
export async function openWorld({ max = 1 } = {}) {
  const postgres = await startOwnPostgres("crm-lab-");
  const sql = connect(postgres.databaseUrl, max);
  return {
    ...postgres,
    sql,
    async [Symbol.asyncDispose]() {
      await sql[Symbol.asyncDispose]();
      await postgres.close();
    },
  };
}
