import { join } from "node:path";
import { scriptArguments } from "./processes.ts";
import { eventually } from "./waiting.ts";

export interface Server extends AsyncDisposable {
  /** `http://127.0.0.1:<port>/functions/v1` */
  baseUrl: string;
  pid: number;
  readLog(): Promise<Record<string, unknown>[]>;
}

/**
 * Serves every function from a new process.
 * @param env added to this process's environment; must have DATABASE_URL
 * @param folders of further functions
 */
export async function startServer(env: Record<string, string>, folders: string[] = []): Promise<Server> {
  const log = await Deno.makeTempFile({ prefix: "crm-bench-", suffix: ".log" });
  const command = scriptArguments([join(import.meta.dirname!, "functions_process.ts"), ...folders]);
  // The log goes to a file. Reading it from a pipe would take processor time during the measurement.
  const child = new Deno.Command("sh", {
    args: ["-c", 'log=$1; shift; exec "$@" > "$log"', "sh", log, Deno.execPath(), ...command],
    env: { DATABASE_PREPARE: "true", DATABASE_POOL_SIZE: "10", ...env },
    // The server exits when its standard input closes, and so also when this process is killed.
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
  try {
    const baseUrl = await eventually(
      async () => {
        if (!running) throw new Error("The functions are not served; see the error above");
        return /^(.*)\n/.exec(await Deno.readTextFile(log))?.[1];
      },
      "the functions to be served",
      30,
    );
    const readLog = async () => {
      const lines = (await Deno.readTextFile(log)).split("\n");
      return lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
    };
    return { baseUrl, pid: child.pid, readLog, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
