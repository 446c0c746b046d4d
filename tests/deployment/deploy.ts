import { runTask } from "./task.ts";

/** Runs `deno task deploy` with exactly these variables, as a workflow does. */
export async function deploy(env: Record<string, string>, ...args: string[]) {
  const { PATH = "", HOME = "" } = Deno.env.toObject();
  return await runTask("deploy.ts", args, { clearEnv: true, env: { PATH, HOME, ...env } });
}
