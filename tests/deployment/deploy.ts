import { join } from "node:path";

const MAIN = join(import.meta.dirname!, "../../deployment/deploy.ts");

/** Runs `deno task deploy` with exactly these variables, as a workflow does. */
export async function deploy(env: Record<string, string>, ...args: string[]) {
  const { PATH = "", HOME = "" } = Deno.env.toObject();
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--quiet", MAIN, ...args],
    clearEnv: true,
    env: { PATH, HOME, ...env },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}
