import { join } from "node:path";
import { startLineProcess } from "../lines.ts";
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
  const child = startLineProcess([join(import.meta.dirname!, "fetch_loop.ts"), url], env);
  return {
    pid: child.pid,
    async send(order) {
      await child.ask(order);
    },
    close: () => child.close(),
  };
}
