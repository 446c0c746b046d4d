import { join } from "node:path";
import { readLines } from "../lines.ts";
import type { Order } from "./fetch_loop.ts";

/** A bare `fetch` loop in a process of its own. */
export interface BareLoop {
  pid: number;
  /** Sends, and waits for the last answer. */
  send(order: Order): Promise<void>;
  close(): Promise<void>;
}

/** @param env by which it trusts the receiver */
export function startBareLoop(url: string, env: Record<string, string>): BareLoop {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", join(import.meta.dirname!, "fetch_loop.ts"), url],
    env,
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const orders = child.stdin.getWriter();
  const answers = readLines(child.stdout);
  return {
    pid: child.pid,
    async send(order) {
      await orders.write(new TextEncoder().encode(JSON.stringify(order) + "\n"));
      if ((await answers.next()).done) throw new Error("The fetch loop has ended; why, is above");
    },
    async close() {
      await orders.close().catch(() => {});
      await child.status;
      await answers.return(undefined);
    },
  };
}
