import { join } from "node:path";
import { spawnScript } from "../harness/processes.ts";

/** What a dispatcher can be doing when it is killed, in the order of an attempt. */
export const STAGES = ["after claim", "in TLS", "after sending", "before recording", "in recording"] as const;

export type Stage = typeof STAGES[number];

/** The end that a dispatcher is started for: at this stage, once it has claimed so many deliveries. */
export interface Death {
  stage: Stage;
  claimed: number;
}

/** What a dispatcher prints just before it dies of a {@link Death}. */
export interface LastWords {
  killed: Stage;
  /** The delivery that was at that stage; null in TLS, where it is not known. */
  delivery_id: string | null;
}

/** What a dispatcher is to be like. */
export interface Character {
  /** By how many milliseconds its clock is wrong. */
  clockErrorMs?: number;
  /** How it ends; it goes on until it is killed where left out. */
  death?: Death;
  /** Whether its log is thrown away: a long run's would fill the memory here. */
  silent?: boolean;
}

/** A dispatcher in a process of its own. */
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

/** Starts dispatcher_process.ts with this environment. */
export function spawnDispatcher(
  env: Record<string, string>,
  { silent = false, ...character }: Character,
  onEnd: () => void,
): Dispatcher {
  const script = join(import.meta.dirname!, "dispatcher_process.ts");
  const child = spawnScript([script, JSON.stringify(character)], {
    env,
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  });
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
