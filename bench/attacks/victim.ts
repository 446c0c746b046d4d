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
  /** How many calls there were. */
  calls: number;
  /** How many calls were not answered with 200. */
  failed: number;
}

/** How a legitimate client calls the API for some seconds. */
export type Client = (baseUrl: string, workspace: LoadWorkspace, seconds: number) => Promise<Waits>;

/**
 * Reads contacts of the workspace, some 80 a second, with its keys in turn so that none reaches its rate limit. Each of the
 * two readers sends its next call when the last one is answered.
 */
export const readAsClient: Client = async (baseUrl, workspace, seconds) => {
  const end = performance.now() + seconds * 1000;
  const calls: Call[] = [];
  const read = async () => {
    while (performance.now() < end) {
      calls.push(await send(baseUrl, workspace, calls.length));
      await pause(PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, read));
  return waitsOf(calls);
};

/** Two reads and a write of a contact a second, whether or not the last ones are answered: what people do. */
export const workAsPeople: Client = async (baseUrl, workspace, seconds) => {
  const calls: Promise<Call>[] = [];
  for (let turn = 0; turn < seconds * 3; turn++) {
    calls.push(send(baseUrl, workspace, turn, turn % 3 === 2 ? "PATCH" : "GET"));
    await pause(1000 / 3);
  }
  return waitsOf(await Promise.all(calls));
};

interface Call {
  ms: number;
  status: number;
}

async function send(
  baseUrl: string,
  { keys, contactIds }: LoadWorkspace,
  turn: number,
  method: "GET" | "PATCH" = "GET",
): Promise<Call> {
  const started = performance.now();
  const status = await fetch(`${baseUrl}/api-v1-contacts/${contactIds[turn % contactIds.length]}`, {
    method,
    headers: { "X-API-Key": keys[turn % keys.length]!, "Content-Type": "application/json" },
    ...(method === "PATCH" && { body: JSON.stringify({ job_title: `Diretora ${turn}` }) }),
    signal: AbortSignal.timeout(GIVE_UP_MS),
  }).then(async (response) => (await response.body?.cancel(), response.status), () => 0);
  return { ms: performance.now() - started, status };
}

function waitsOf(calls: Call[]): Waits {
  const waits = calls.map(({ ms }) => ms);
  const failed = calls.filter(({ status }) => status !== 200).length;
  return { p50: percentile(waits, 0.5), p90: percentile(waits, 0.9), calls: calls.length, failed };
}

/** Waits as a note shows them. */
export function describeWaits({ p50, p90, failed }: Waits): string {
  return `p50 ${p50.toFixed(1)} ms, p90 ${p90.toFixed(1)} ms${failed > 0 ? `, ${failed} calls failed` : ""}`;
}
