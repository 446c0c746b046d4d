import { join } from "node:path";
import { stopPostgres } from "../../run/local/postgres.ts";
import { readStackFile } from "../../run/local/stack_file.ts";
import { copyPreparedData } from "./prepared_data.ts";

/** Creates a temporary folder for the data of one or more databases. */
export async function makeDataDir(prefix = ""): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix });
  // Under root, Postgres runs as another user, who must be able to enter the folder.
  await Deno.chmod(folder, 0o711);
  return folder;
}

/** Creates a data folder as a first start leaves it, for a test that does not examine the first start. */
export async function makeStartedDataDir(): Promise<string> {
  const folder = await makeDataDir();
  await copyPreparedData(folder);
  return folder;
}

/** Stops the stacks that an interrupted test left running on data folders in this folder. */
export async function stopStacksIn(folder: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const dataDir = join(folder, name);
    const hasDatabase = await Deno.stat(join(dataDir, "postgres")).then(() => true, () => false);
    if (!isDirectory || !hasDatabase) continue;
    const file = await readStackFile(dataDir).catch(() => null);
    if (file) Deno.kill(file.pid, "SIGTERM");
    await stopPostgres(dataDir);
  }
}
