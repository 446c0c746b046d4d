import { setImmediate } from "node:timers";
import { type Proxy, startProxy } from "./proxy.ts";
import { pause } from "./waiting.ts";

const TIMER_SLACK_MS = 3;

/**
 * Delays every byte by `eachWayMs` in each direction. Delayed bytes do not hold up later ones: this simulates distance,
 * not bandwidth.
 */
export function startDelayProxy(serverUrl: string, eachWayMs: number): Proxy {
  return startProxy(serverUrl, async (from, to) => {
    const writer = to.writable.getWriter();
    let delivered = Promise.resolve();
    for await (const chunk of from.readable) {
      const due = performance.now() + eachWayMs;
      delivered = delivered.then(() => waitUntil(due)).then(() => writer.write(chunk));
      // Prevents an unhandled rejection. The `await` below throws the error.
      delivered.catch(() => {});
    }
    await delivered;
    await writer.close();
  });
}

/** Ends the timer early and then polls, because a timer late by a millisecond would distort the delay. */
async function waitUntil(due: number): Promise<void> {
  const ms = due - performance.now() - TIMER_SLACK_MS;
  if (ms > 0) await pause(ms);
  while (performance.now() < due) await new Promise((resolve) => setImmediate(resolve));
}
