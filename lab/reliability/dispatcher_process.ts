import { join } from "node:path";
import type { Death, LastWords } from "./stages.ts";

/** What a dispatcher is to be like. */
export interface Character {
  /** By how many milliseconds its clock is wrong. */
  clockErrorMs?: number;
  /** How it ends; it goes on until it is killed where left out. */
  death?: Death;
  /** Whether its log is thrown away: a long run's would fill the memory here. */
  silent?: boolean;
}

/** A dispatcher that can be killed. */
export interface Dispatcher {
  pid: number;
  /** What it has logged so far. */
  output(): string;
  /** True once it delivers. */
  ready(): boolean;
  /** `kill -9`, and waits for the end. */
  kill(): Promise<void>;
  /** Whether it is gone, by `kill` or by itself. */
  ended(): boolean;
  /** What its {@link Death} was; null where it has not died of one. */
  lastWords(): LastWords | null;
}

/** Starts dispatcher.ts with this environment. */
export function spawnDispatcher(
  env: Record<string, string>,
  { clockErrorMs = 0, death, silent = false }: Character,
  onEnd: () => void,
): Dispatcher {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-check",
      join(import.meta.dirname!, "dispatcher.ts"),
      `--clock-error=${clockErrorMs}`,
      ...(death ? [`--death=${JSON.stringify(death)}`] : []),
    ],
    env,
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  let output = "";
  const collected = (async () => {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      if (!silent || output === "") output += text;
    }
  })();
  let over = false;
  const status = child.status.then(async () => {
    await collected;
    over = true;
    onEnd();
  });
  return {
    pid: child.pid,
    output: () => output,
    ready: () => output.startsWith("ready"),
    ended: () => over,
    lastWords() {
      const line = output.split("\n").find((line) => line.startsWith('{"killed"'));
      return line === undefined ? null : JSON.parse(line);
    },
    async kill() {
      if (!over) child.kill("SIGKILL");
      await status;
    },
  };
}
