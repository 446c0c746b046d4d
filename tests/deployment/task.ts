import { join } from "node:path";

const FOLDER = join(import.meta.dirname!, "../../run/deployment");

/** Runs a task of run/deployment/ as an operator does, and returns its exit code and what it printed. */
export async function runTask(
  script: "deploy.ts" | "doctor.ts",
  args: string[],
  env: Pick<Deno.CommandOptions, "env" | "clearEnv">,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--quiet", join(FOLDER, script), ...args],
    ...env,
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}
