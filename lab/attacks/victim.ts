import { percentile } from "../harness/figures.ts";
import { pause } from "../harness/waiting.ts";
import type { LoadWorkspace } from "../performance/load/workspaces.ts";

const CLIENTS = 2;
const PAUSE_MS = 20;
const GIVE_UP_MS = 20_000;

/** The waits of a legitimate client, in milliseconds. */
export interface Waits {
  p50: number;
  p90: number;
  /** How many reads there were. */
  reads: number;
  /** How many reads were not answered with 200. */
  failed: number;
}

/**
 * Reads contacts of the workspace for some seconds, some 80 reads a second, with its keys in turn so that none reaches
 * its rate limit.
 */
export async function readAsClient(
  baseUrl: string,
  { keys, contactIds }: LoadWorkspace,
  seconds: number,
): Promise<Waits> {
  const waits: number[] = [];
  let failed = 0;
  let turn = 0;
  const end = performance.now() + seconds * 1000;
  const read = async () => {
    while (performance.now() < end) {
      const key = keys[turn % keys.length]!;
      const url = `${baseUrl}/api-v1-contacts/${contactIds[turn++ % contactIds.length]}`;
      const started = performance.now();
      const status = await fetch(url, {
        headers: { "X-API-Key": key },
        signal: AbortSignal.timeout(GIVE_UP_MS),
      }).then(async (response) => (await response.body?.cancel(), response.status), () => 0);
      waits.push(performance.now() - started);
      if (status !== 200) failed++;
      await pause(PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, read));
  return { p50: percentile(waits, 0.5), p90: percentile(waits, 0.9), reads: waits.length, failed };
}

/** Waits as a note shows them. */
export function describeWaits({ p50, p90, failed }: Waits): string {
  return `p50 ${p50.toFixed(1)} ms, p90 ${p90.toFixed(1)} ms${failed > 0 ? `, ${failed} reads failed` : ""}`;
}
