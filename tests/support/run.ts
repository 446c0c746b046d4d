import { join } from "node:path";

const ROOT = join(import.meta.dirname!, "../..");

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

export async function outcomeOf(
  command: string,
  args: string[],
  options: Deno.CommandOptions = {},
): Promise<Outcome> {
  const given: Deno.CommandOptions = { args, stdin: "null", ...options };
  const { code, stdout, stderr } = await new Deno.Command(command, given).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/**
 * Runs a command that must succeed.
 *
 * @param cwd the root of this repository by default
 * @throws Error with the output if the command fails
 */
export async function run(
  command: string,
  args: string[],
  { cwd = ROOT, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<Outcome> {
  const outcome = await outcomeOf(command, args, { cwd, env: { NO_COLOR: "1", ...env } });
  const { code, stdout, stderr } = outcome;
  if (code !== 0) throw new Error(`${command} ${args.join(" ")}\n${stdout}${stderr}`);
  return outcome;
}

/** Like `run`, with the Deno of this process. */
export const deno = (args: string[], options: Parameters<typeof run>[2] = {}) =>
  run(Deno.execPath(), args, options);
