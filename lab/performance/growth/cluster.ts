import { join } from "node:path";
import type { Sql } from "postgres";
import { startOwnPostgres } from "../../../local/own_postgres.ts";
import { startPostgres, stopPostgres, superuserUrl } from "../../../local/postgres.ts";
import { openSql } from "../../../local/sql.ts";

/**
 * What makes millions of rows a matter of minutes. Nothing of it makes a call that is measured faster at one size than
 * at another: no call waits for the disk, and no vacuum runs beside one.
 */
const SETTINGS = {
  wal_level: "minimal",
  max_wal_senders: "0",
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  max_wal_size: "8GB",
  checkpoint_timeout: "1h",
  autovacuum: "off",
};

/** A Postgres for data that may be lost, with one database for each size. */
export interface Cluster extends AsyncDisposable {
  /** Makes a database: empty, or with what another one holds. @returns its address, as the superuser */
  createDatabase(name: string, template?: string): Promise<string>;
}

/** Its first database has the migrations and the functions of seed.sql; the others are copies of it. */
export async function startCluster(): Promise<Cluster> {
  const own = await startOwnPostgres("crm-growth-");
  try {
    await once(own.adminUrl, async (sql) => {
      await sql.unsafe(await Deno.readTextFile(join(import.meta.dirname!, "seed.sql")));
      for (const [name, value] of Object.entries(SETTINGS)) {
        await sql.unsafe(`alter system set ${name} = '${value}'`);
      }
    });
    // The level of the log cannot change while it runs. The port can: it is taken anew.
    await stopPostgres(own.dataDir);
    const { databaseUrl } = await startPostgres(own.dataDir, own.secrets);
    const admin = new URL(superuserUrl(databaseUrl, own.secrets));
    return {
      async createDatabase(name, template = "postgres") {
        admin.pathname = "template1";
        const create = `create database ${name} template ${template} strategy file_copy`;
        await once(admin.href, (sql) => sql.unsafe(create));
        admin.pathname = name;
        return admin.href;
      },
      [Symbol.asyncDispose]: own.close,
    };
  } catch (error) {
    await own.close();
    throw error;
  }
}

/** Uses a connection and closes it: a database that somebody is connected to cannot be copied. */
export async function once(url: string, use: (sql: Sql) => Promise<unknown>): Promise<void> {
  const sql = openSql(url, { max: 1 });
  try {
    await use(sql);
  } finally {
    await sql.end();
  }
}
