import { setImmediate } from "node:timers";
import { type Proxy, startProxy } from "./proxy.ts";
import { pause } from "./waiting.ts";

const TIMER_SLACK_MS = 3;

/**
 * Delivers every byte so many milliseconds late, in each direction. Bytes that arrive while others are on their way wait
 * for nobody, as on a line that is long and not narrow.
 */
export function startDelayProxy(serverUrl: string, eachWayMs: number): Proxy {
  return startProxy(serverUrl, async (from, to) => {
    const writer = to.writable.getWriter();
    let delivered = Promise.resolve();
    for await (const chunk of from.readable) {
      const due = performance.now() + eachWayMs;
      delivered = delivered.then(() => waitUntil(due)).then(() => writer.write(chunk));
      // A failure is thrown where it is waited for, below.
      delivered.catch(() => {});
    }
    await delivered;
    await writer.close();
  });
}

/** A timer may be late by more than a millisecond, which would count as the network's: it ends early, and we poll. */
async function waitUntil(due: number): Promise<void> {
  const ms = due - performance.now() - TIMER_SLACK_MS;
  if (ms > 0) await pause(ms);
  while (performance.now() < due) await new Promise((resolve) => setImmediate(resolve));
}
