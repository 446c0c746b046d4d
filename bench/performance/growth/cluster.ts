import { join } from "node:path";
import { startOwnPostgres } from "../../../run/local/own_postgres.ts";
import { startPostgres, stopPostgres, superuserUrl } from "../../../run/local/postgres.ts";
import { connect } from "../../harness/world.ts";

/**
 * Settings to insert millions of rows in minutes. They favour no size: no call waits for the disk, and no vacuum runs
 * during a call.
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

export type Cluster = Awaited<ReturnType<typeof startCluster>>;

/** Starts a Postgres for data that may be lost, with one database for each size. */
export async function startCluster() {
  const own = await startOwnPostgres("crm-growth-");
  try {
    {
      await using sql = connect(own.adminUrl);
      await sql.unsafe(await Deno.readTextFile(join(import.meta.dirname!, "seed.sql")));
      for (const [name, value] of Object.entries(SETTINGS)) {
        await sql.unsafe(`alter system set ${name} = '${value}'`);
      }
    }
    // wal_level needs a restart, which takes a new port.
    await stopPostgres(own.dataDir);
    const { databaseUrl } = await startPostgres(own.dataDir, own.secrets);
    const admin = new URL(superuserUrl(databaseUrl, own.secrets));
    return {
      /** Creates a database with the migrations and seed.sql. @returns its URL, as the superuser */
      async createDatabase(name: string): Promise<string> {
        admin.pathname = "template1";
        await using sql = connect(admin.href);
        await sql.unsafe(`create database ${name} template postgres strategy file_copy`);
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
