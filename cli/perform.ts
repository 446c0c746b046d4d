import type { CommandUnknownOpts } from "commander";
import type { Sql } from "postgres";
import { withDatabase } from "./database.ts";

/**
 * Does what a command is for and prints the outcome: as JSON with `--json`, else in words.
 * @param operation What is asked of the database.
 * @param describe How the outcome reads to a person.
 */
export async function perform<Result>(
  command: CommandUnknownOpts,
  operation: (sql: Sql) => Promise<Result>,
  describe: (result: Result) => string,
): Promise<void> {
  const result = await withDatabase(operation);
  console.log(command.optsWithGlobals()["json"] ? JSON.stringify(result, null, 2) : describe(result));
}
