import type { CommandUnknownOpts } from "commander";

export const PROGRAM = "deno task crm";

export function formatExamples(...lines: string[]): string {
  return ["", "Examples:", ...lines.map((line) => `  ${PROGRAM} ${line}`)].join("\n");
}

/** Ends the command with a usage error if an update would change nothing. */
export function requireChange(command: CommandUnknownOpts, changes: Record<string, unknown>): void {
  if (Object.values(changes).some((change) => change !== undefined)) return;
  const flags = command.options.map((option) => option.long).join(", ");
  command.error(`error: nothing to change: give at least one of ${flags}`);
}
