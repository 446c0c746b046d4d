/**
 * `deno task crm`: the operator's commands.
 * Exit code: 0 done, 1 refused or the database is away, 2 mistyped. A mistake is one line on standard error.
 */
import { CommanderError } from "commander";
import { oneLine, StackError } from "../local/stack_error.ts";
import { databaseProblem } from "./database.ts";
import { OperatorError } from "../operator/errors.ts";
import { describeError } from "./errors.ts";
import { createProgram } from "./program.ts";

try {
  await createProgram().parseAsync(Deno.args, { from: "user" });
} catch (error) {
  // At once: after a failure the driver's timers would keep the process for seconds.
  Deno.exit(explain(error));
}

/** Says what went wrong, unless commander has said so, and returns the exit code. */
function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof OperatorError) {
    console.error(`error: ${describeError(error)}`);
    return error.code === "validation_error" ? 2 : 1;
  }
  const known = error instanceof StackError;
  const problem = known ? error.message : databaseProblem(error) ?? `Unexpected: ${oneLine(error)}`;
  console.error(`error: ${problem}`);
  return 1;
}
