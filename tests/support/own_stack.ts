import { join } from "node:path";
import { stopPostgres } from "../../local/postgres.ts";
import { readStackFile } from "../../local/stack_file.ts";

/** Stops what an interrupted test left running on the data folders in a folder. */
export async function stopStacksIn(folder: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (!isDirectory) continue;
    const dataDir = join(folder, name);
    const file = await readStackFile(dataDir).catch(() => null);
    if (file) Deno.kill(file.pid, "SIGTERM");
    await stopPostgres(dataDir);
  }
}
