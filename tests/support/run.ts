import { join } from "node:path";

const ROOT = join(import.meta.dirname!, "../..");

/**
 * Runs a command to its end.
 *
 * @param cwd the root of this repository by default
 * @returns what it printed
 * @throws Error with the output if the command fails
 */
export async function run(
  command: string,
  args: string[],
  { cwd = ROOT, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<{ stdout: string; stderr: string }> {
  const { success, stdout, stderr } = await new Deno.Command(command, {
    args,
    cwd,
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
  }).output();
  const printed = { stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
  if (!success) throw new Error(`${command} ${args.join(" ")}\n${printed.stdout}${printed.stderr}`);
  return printed;
}

/** Like `run`, with the Deno of this process. */
export const deno = (args: string[], options: Parameters<typeof run>[2] = {}) =>
  run(Deno.execPath(), args, options);
