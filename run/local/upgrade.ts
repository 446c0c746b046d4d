import { copyFolder } from "./data_dir.ts";
import { missingMigrations } from "./migrate.ts";
import { type Postgres, startPostgres } from "./postgres.ts";
import type { Secrets } from "./secrets.ts";
import { openSql } from "./sql.ts";

/**
 * Copies the data folder if an earlier release made its database, so that a person can go back after the upgrade. Prints
 * where the copy is.
 * @returns Postgres, which is stopped while the folder is copied
 * @throws StackError if the migrations cannot be applied; then nothing is copied
 */
export async function copyBeforeUpgrade(
  postgres: Postgres,
  dataDir: string,
  secrets: Secrets,
  remedy: string,
): Promise<Postgres> {
  const sql = openSql(postgres.databaseUrl, { max: 1 });
  const { missing, applied } = await missingMigrations(sql, undefined, remedy).finally(() => sql.end());
  if (missing.length === 0 || applied === null) return postgres;
  await postgres.stop();
  const copy = `${dataDir}-before-${missing[0]!.version}`;
  // A start that was interrupted after a part of the upgrade must not replace the copy.
  if (await Deno.stat(copy).then(() => false, () => true)) {
    await Deno.remove(`${copy}.partial`, { recursive: true }).catch(() => {});
    await copyFolder(dataDir, `${copy}.partial`);
    await Deno.rename(`${copy}.partial`, copy);
  }
  console.log(
    `The data in ${dataDir} is upgraded by ${missing.length} migrations; ${copy} is a copy from before`,
  );
  return await startPostgres(dataDir, secrets);
}
