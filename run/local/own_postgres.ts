import { join } from "node:path";
import { setFunctionsPassword } from "../operator/functions_password.ts";
import { installAuthSchema } from "./auth/schema.ts";
import { openDataDir } from "./data_dir.ts";
import { functionsDatabaseUrl, functionsPassword } from "./functions_login.ts";
import { migrate } from "./migrate.ts";
import { startPostgres, superuserUrl } from "./postgres.ts";
import { loadSecrets, type Secrets } from "./secrets.ts";
import { openSql } from "./sql.ts";

/** A migrated Postgres in a temporary folder, without gateway or scheduler. */
export interface OwnPostgres {
  /** The temporary folder; the caller may keep files in it too. */
  folder: string;
  dataDir: string;
  secrets: Secrets;
  /** The URL for the role `postgres`, which applied the migrations. */
  databaseUrl: string;
  /** The functions' URL, for the role `crm_functions`. */
  functionsDatabaseUrl: string;
  adminUrl: string;
  close(): Promise<void>;
}

const open = new Set<OwnPostgres>();

/** Closes every OwnPostgres that is still open. Call it when a program is interrupted. */
export async function closeOwnPostgres(): Promise<void> {
  await Promise.all([...open].map((postgres) => postgres.close()));
}

/** Starts a Postgres for a program that measures or damages it, in place of the developer's database. */
export async function startOwnPostgres(prefix: string): Promise<OwnPostgres> {
  const folder = await Deno.makeTempDir({ prefix });
  // Under root, Postgres runs as another user, who must be able to enter the folder.
  await Deno.chmod(folder, 0o711);
  const dataDir = join(folder, "data");
  const lock = await openDataDir(dataDir);
  const secrets = await loadSecrets(dataDir);
  const { databaseUrl, stop } = await startPostgres(dataDir, secrets);
  const postgres: OwnPostgres = {
    folder,
    dataDir,
    secrets,
    databaseUrl,
    functionsDatabaseUrl: functionsDatabaseUrl(databaseUrl, secrets),
    adminUrl: superuserUrl(databaseUrl, secrets),
    async close() {
      open.delete(postgres);
      await stop();
      lock.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
  open.add(postgres);
  await using sql = openSql(databaseUrl, { max: 1 });
  try {
    await migrate(sql);
    await installAuthSchema(sql);
    await setFunctionsPassword(sql, functionsPassword(databaseUrl, secrets));
  } catch (error) {
    await postgres.close();
    throw error;
  }
  return postgres;
}
