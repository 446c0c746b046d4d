import { fileURLToPath } from "node:url";
import { collectOutput } from "./output.ts";
import { readStackFile, type StackFile } from "./stack_file.ts";

const START_TIMEOUT_MS = 180_000;
const START_SCRIPT = fileURLToPath(new URL("start.ts", import.meta.url));

/** `deno task start` as a process, for the programs that need a stack of their own: the demo and the tests. */
export interface StackProcess {
  ended: Promise<Deno.CommandStatus>;
  output(): string;
  kill(signal: Deno.Signal): void;
}

export interface ReadyStack extends StackProcess {
  file: StackFile;
  /** Sends SIGTERM and waits until the process has ended. */
  stop(): Promise<Deno.CommandStatus>;
}

/** Runs a stack on any free port. @param env added to the current environment */
export function spawnStack(env: Record<string, string>): StackProcess {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", START_SCRIPT],
    // Empty, so that tests use neither the developer's own database nor the developer's APP_ORIGIN.
    env: { PORT: "0", DATABASE_URL: "", APP_ORIGIN: "", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  return { ...collectOutput(child), kill: (signal) => child.kill(signal) };
}

/**
 * Starts a stack on a data folder and waits until it is ready.
 * @throws Error with its output if it ends or is not ready after three minutes.
 */
export async function startStackProcess(
  dataDir: string,
  env: Record<string, string> = {},
): Promise<ReadyStack> {
  const stack = spawnStack({ ...env, DATA_DIR: dataDir });
  let running = true;
  stack.ended.then(() => running = false);
  function stop(): Promise<Deno.CommandStatus> {
    if (running) stack.kill("SIGTERM");
    return stack.ended;
  }

  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!/^API ready at /m.test(stack.output())) {
    if (!running || performance.now() > deadline) {
      await stop();
      throw new Error(`The stack is not ready:\n${stack.output()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { ...stack, stop, file: await readStackFile(dataDir) };
}
