// A data folder as a first start leaves it, made once for a run and then copied: the start takes 1.6 s, a copy 0.3 s.
import { join } from "node:path";
import { copyFolder } from "../../run/local/data_dir.ts";
import { startStackProcess } from "../../run/local/stack_process.ts";

/**
 * With fsync off, commits and shutdowns do not wait for the disk. fsync protects only against a crash of the machine: a
 * killed Postgres recovers without it.
 */
const SETTINGS = "fsync = off\n";

/** The variable that names the prepared folder; not set in a run of few files. */
const PREPARED_VARIABLE = "TEST_PREPARED_DATA";

/** Starts a stack on a folder and stops it; from then on `copyPreparedData` copies the folder. */
export async function prepareData(folder: string): Promise<void> {
  const stack = await startStackProcess(folder);
  const { success } = await stack.stop();
  if (!success) throw new Error(`The stack did not stop:\n${stack.output()}`);
  await Deno.writeTextFile(join(folder, "postgres", "postgresql.conf"), SETTINGS, { append: true });
  Deno.env.set(PREPARED_VARIABLE, folder);
}

/** Copies the prepared data, if any, into a folder. Otherwise the folder stays empty and the stack initializes it. */
export async function copyPreparedData(to: string): Promise<void> {
  const prepared = Deno.env.get(PREPARED_VARIABLE);
  if (prepared !== undefined) await copyFolder(prepared, to);
}
