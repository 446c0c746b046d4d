import { join } from "node:path";
import { collectOutput } from "../../run/local/output.ts";
import { spawnScript } from "../harness/processes.ts";

export const STAGES = ["after claim", "in TLS", "after sending", "before recording", "in recording"] as const;

export type Stage = typeof STAGES[number];

/** When a dispatcher kills itself: at this stage, once it has claimed this many deliveries. */
export interface KillPoint {
  stage: Stage;
  claimed: number;
}

/** What a dispatcher prints, as a line of JSON, just before it kills itself. */
export interface KillReport {
  killed: Stage;
  /** The delivery that was at that stage; null in TLS, where the delivery is unknown. */
  delivery_id: string | null;
}

export interface DispatcherOptions {
  /** The error of its clock, in milliseconds. */
  clockErrorMs?: number;
  /** Absent: it runs until it is killed. */
  killPoint?: KillPoint;
  /** Discards its output, which would fill the memory of a long run. */
  silent?: boolean;
}

export type Dispatcher = ReturnType<typeof spawnDispatcher>;

export function spawnDispatcher(
  env: Record<string, string>,
  { silent = false, ...options }: DispatcherOptions,
  onEnd: () => void,
) {
  const script = join(import.meta.dirname!, "dispatcher_process.ts");
  const child = spawnScript([script, JSON.stringify(options)], {
    env,
    stdin: "null",
    stdout: silent ? "null" : "piped",
    stderr: "null",
  });
  const { ended, output } = collectOutput(child, silent ? [] : [child.stdout]);
  let over = false;
  const closed = ended.then(() => {
    over = true;
    onEnd();
  });
  return {
    pid: child.pid,
    output,
    ready: () => output().startsWith("ready"),
    ended: () => over,
    killReport(): KillReport | null {
      const line = output().split("\n").find((line) => line.startsWith('{"killed"'));
      return line === undefined ? null : JSON.parse(line);
    },
    async kill() {
      if (!over) child.kill("SIGKILL");
      await closed;
    },
  };
}
