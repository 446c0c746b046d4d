import { join } from "node:path";

/** A process that serves functions. */
export interface Server {
  /** `http://127.0.0.1:<port>/functions/v1` */
  baseUrl: string;
  pid: number;
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 30_000;

/**
 * Serves every function from a process of its own.
 * @param env beyond the present environment: DATABASE_URL at least
 * @param folders of further functions
 */
export async function startServer(env: Record<string, string>, folders: string[] = []): Promise<Server> {
  const log = await Deno.makeTempFile({ prefix: "crm-bench-", suffix: ".log" });
  const command = [
    Deno.execPath(),
    "run",
    "-A",
    "--no-check",
    join(import.meta.dirname!, "server.ts"),
    ...folders,
  ];
  // Into a file, as servers log: a pipe would wake a reader for each line, on the processors that are measured.
  const child = new Deno.Command("sh", {
    args: ["-c", 'log=$1; shift; exec "$@" > "$log"', "sh", log, ...command],
    env: { DATABASE_PREPARE: "true", DATABASE_POOL_SIZE: "10", ...env },
    // Never written to: the server ends with it, also when this process is killed.
    stdin: "piped",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  let running = true;
  const ended = child.status.then(() => running = false);
  async function stop() {
    if (running) child.kill("SIGTERM");
    await child.stdin.close().catch(() => {});
    await ended;
    await Deno.remove(log);
  }
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    const [baseUrl, complete] = (await Deno.readTextFile(log)).split("\n");
    if (baseUrl && complete !== undefined) return { baseUrl, pid: child.pid, stop };
    if (!running || performance.now() > deadline) {
      await stop();
      throw new Error("The functions are not served; why, is above");
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
