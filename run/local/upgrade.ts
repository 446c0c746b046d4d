import { copyFolder } from "./data_dir.ts";
import { missingMigrations } from "./migrate.ts";
import { type Postgres, startPostgres } from "./postgres.ts";
import type { Secrets } from "./secrets.ts";
import { openSql } from "./sql.ts";

/**
 * If an earlier release made the database of the data folder, copies the folder, so that a person can go back after the
 * upgrade. Prints where the copy is. Also says so if a later release made the database.
 * @returns the running Postgres, which was restarted if the folder was copied
 * @throws StackError, before the copy, if the migrations cannot be applied
 */
export async function copyBeforeUpgrade(
  postgres: Postgres,
  dataDir: string,
  secrets: Secrets,
  remedy: string,
): Promise<Postgres> {
  const sql = openSql(postgres.databaseUrl, { max: 1 });
  const { missing, applied, unknown } = await missingMigrations(sql, undefined, remedy).finally(sql.end);
  if (unknown.length > 0) {
    console.log(
      `A later release made the data in ${dataDir} (${unknown.join(", ")}). This release works with it`,
    );
  }
  if (missing.length === 0 || applied === null) return postgres;
  await postgres.stop();
  const copy = `${dataDir}-before-${missing[0]!.version}`;
  // A copy with this name is outdated: an earlier upgrade failed after making it, and the data was used since.
  for (const path of [`${copy}.partial`, copy]) await Deno.remove(path, { recursive: true }).catch(() => {});
  await copyFolder(dataDir, `${copy}.partial`);
  await Deno.rename(`${copy}.partial`, copy);
  const names = missing.map(({ version, name }) => `${version}_${name}`).join(", ");
  console.log(`The data in ${dataDir} is upgraded (${names}). ${copy} is a copy of the old data`);
  return await startPostgres(dataDir, secrets);
}
