import type { Sql } from "postgres";
import { type OwnPostgres, startOwnPostgres } from "../../local/own_postgres.ts";
import { openSql } from "../../local/sql.ts";
import { type Account, seedAccounts, type Sizes } from "./accounts.ts";
import { type Server, startServer } from "./functions.ts";
import { type LoadGenerator, startLoadGenerator } from "./load.ts";

/** What the subjects under load run on: a Postgres with accounts in it, and who sends the requests. */
export interface LoadWorld {
  postgres: OwnPostgres;
  sql: Sql;
  accounts: Account[];
  generator: LoadGenerator;
  /** @param folders of further functions */
  serve(env: Record<string, string>, folders?: string[]): Promise<Server>;
  close(): Promise<void>;
}

export async function openLoadWorld(sizes: Sizes): Promise<LoadWorld> {
  const postgres = await startOwnPostgres("crm-bench-");
  const sql = openSql(postgres.databaseUrl, { max: 2 });
  const generator = startLoadGenerator();
  const servers: Server[] = [];
  async function close() {
    await generator.stop();
    for (const server of servers) await server.stop();
    await sql.end({ timeout: 1 });
    await postgres.close();
  }
  try {
    const accounts = await seedAccounts(sql, sizes);
    return {
      postgres,
      sql,
      accounts,
      generator,
      async serve(env, folders) {
        const server = await startServer({ DATABASE_URL: postgres.databaseUrl, ...env }, folders);
        servers.push(server);
        return server;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
