import type { CommandUnknownOpts } from "commander";
import type { Sql } from "postgres";
import { findWorkspace, operate } from "../operator/operator.ts";
import type { Args, RecordKind, Result, VerbName } from "../operator/verbs.ts";
import { withDatabase } from "./database.ts";

export type Operation<Result> = (sql: Sql) => Promise<Result>;

/**
 * Runs an operation and prints its result: JSON with `--json`, otherwise the text from `describe`.
 * @param warn each warning is a line on standard error, and in `warnings` of the JSON
 */
export async function perform<Result>(
  command: CommandUnknownOpts,
  operation: Operation<Result>,
  describe: (result: Result) => string,
  warn?: (result: Result) => string[],
): Promise<void> {
  const result = await withDatabase(operation, { ...command.optsWithGlobals() });
  const warnings = warn?.(result) ?? [];
  printResult(command, warn ? { ...result, warnings } : result, () => describe(result));
  for (const warning of warnings) console.error(`warning: ${warning}`);
}

export function printResult(command: CommandUnknownOpts, result: unknown, describe: () => string): void {
  console.log(command.optsWithGlobals()["json"] ? JSON.stringify(result, null, 2) : describe());
}

export function namedNode(command: CommandUnknownOpts): number | undefined {
  return command.optsWithGlobals()["node"] as number | undefined;
}

export function call<V extends VerbName>(verb: V, args: Args<V>): Operation<Result<V>> {
  return (sql) => operate(sql, verb, args);
}

type RecordVerb = {
  [V in VerbName]: Args<V> extends { workspace_id: string; id: string } ? V : never;
}[VerbName];

/** An operation that finds a record's workspace by the record's id, and calls a verb for the record. */
export function callOn<V extends RecordVerb>(
  object: RecordKind,
  id: string,
  verb: V,
  args: Omit<Args<V>, "workspace_id" | "id">,
): Operation<Result<V>> {
  return async (sql) => {
    const workspace_id = await findWorkspace(sql, object, id);
    return await operate(sql, verb, { ...args, workspace_id, id } as unknown as Args<V>);
  };
}
