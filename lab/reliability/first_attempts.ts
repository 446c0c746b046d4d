import type { Sql } from "postgres";
import { percentile } from "../harness/figures.ts";
import type { CountingReceiver } from "./arrivals.ts";
import { eventually, pause } from "../harness/waiting.ts";

/** From the change to the arrival of the first attempt, in seconds. */
export interface Latency {
  samples: number;
  p50: number;
  p99: number;
  most: number;
}

const PACE_MS = 100;

/** Makes an event in these workspaces every 100 ms, `count` times, and waits for their first attempts. */
export async function timeFirstAttempts(
  sql: Sql,
  receiver: CountingReceiver,
  workspaces: string[],
  count: number,
  makeEvent: () => Promise<void>,
): Promise<Latency> {
  const [{ start }] = await sql<[{ start: Date }]>`select clock_timestamp() as start`;
  for (let made = 0; made < count; made++) {
    await Promise.all([makeEvent(), pause(PACE_MS)]);
  }
  const rows = await sql<{ id: string; created_at: Date }[]>`
    select id, created_at from crm.webhook_deliveries
    where workspace_id = any (${workspaces}) and created_at >= ${start}`;
  if (rows.length !== count) throw new Error(`${rows.length} deliveries of ${count} events`);
  await eventually(() => rows.every(({ id }) => receiver.arrivals.has(id)), "the first attempts", 60);

  const seconds = rows.map(({ id, created_at }) =>
    (receiver.arrivals.get(id)!.at[0]! - created_at.getTime()) / 1000
  );
  const at = (share: number) => percentile(seconds, share);
  return { samples: seconds.length, p50: at(0.5), p99: at(0.99), most: at(1) };
}

export function describe({ samples, p50, p99, most }: Latency): string {
  return `p50 ${p50.toFixed(2)} s, p99 ${p99.toFixed(2)} s, most ${most.toFixed(2)} s (${samples} events)`;
}
