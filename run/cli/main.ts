/**
 * `deno task crm`: the operator's commands. Exit code: 0 success, 1 the command failed or there is no database, 2
 * invalid usage. An error is one line on standard error.
 */
import { CommanderError } from "commander";
import { describeFailure } from "./database.ts";
import { OperatorError } from "../operator/errors.ts";
import { describeError } from "./errors.ts";
import { createProgram } from "./program.ts";

if (import.meta.main) {
  const code = await run(Deno.args);
  // After an error the driver's timers would keep the process alive for seconds.
  if (code !== 0) Deno.exit(code);
}

/** Runs a command, prints its output or error, and returns the exit code. */
export async function run(args: string[]): Promise<number> {
  try {
    await createProgram().parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    return reportError(error);
  }
}

function reportError(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof OperatorError) {
    console.error(`error: ${describeError(error)}`);
    return error.code === "validation_error" ? 2 : 1;
  }
  console.error(`error: ${describeFailure(error)}`);
  return 1;
}
