import type { CommandUnknownOpts } from "commander";

/** How the operator calls the program. */
export const PROGRAM = "deno task crm";

/** The end of a help text. */
export function examples(...lines: string[]): string {
  return ["", "Examples:", ...lines.map((line) => `  ${PROGRAM} ${line}`)].join("\n");
}

/** Ends with a usage mistake where an update is asked for without a single change. */
export function requireChange(command: CommandUnknownOpts, changes: Record<string, unknown>): void {
  if (Object.values(changes).some((change) => change !== undefined)) return;
  const flags = command.options.map((option) => option.long).join(", ");
  command.error(`error: nothing to change: give at least one of ${flags}`);
}
