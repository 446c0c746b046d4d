import { join } from "node:path";

/** A process that serves functions. */
export interface Server {
  /** `http://127.0.0.1:<port>/functions/v1` */
  baseUrl: string;
  pid: number;
  stop(): Promise<void>;
}

/**
 * Serves every function from a process of its own.
 * @param env beyond the present environment: DATABASE_URL at least
 * @param folders of further functions
 */
export async function startServer(env: Record<string, string>, folders: string[] = []): Promise<Server> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", join(import.meta.dirname!, "server.ts"), ...folders],
    env: { DATABASE_PREPARE: "true", DATABASE_POOL_SIZE: "10", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value } = await reader.read();
  const baseUrl = value?.split("\n")[0];
  if (!baseUrl) throw new Error("The functions are not served; why, is above");
  // Their log lines are many, and a full pipe would stop them.
  const draining = (async () => {
    while (!(await reader.read()).done);
  })();
  return {
    baseUrl,
    pid: child.pid,
    async stop() {
      child.kill("SIGTERM");
      await Promise.all([child.status, draining]);
    },
  };
}
