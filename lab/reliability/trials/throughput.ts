import type { Sql } from "postgres";
import { sum } from "../../harness/figures.ts";
import { cpuOfProcess, memoryOfPostgres, memoryOfProcess } from "../../harness/usage.ts";
import type { Trial } from "../trial.ts";
import { countDeliveries, countEnded, createSubscribers, enqueue } from "../queue.ts";
import { pause } from "../../harness/waiting.ts";
import type { DeliveryWorld } from "../world.ts";

const RATE = 150;
const DISPATCHERS = 2;
/** Many enough for their places (4 for a subscription) never to be what a dispatcher waits for. */
const WORKSPACES = 200;
/** Of each workspace, whenever fewer than this many deliveries wait: the queue neither runs dry nor grows. */
const REFILL = 2;
const REFILL_BELOW = 1_000;
const REFILL_MS = 200;
/** What an invocation on Supabase may use, and after how many deliveries one hands over (dispatch.ts). */
const RUN = { deliveries: 500, cpuSeconds: 2, bytes: 256 * 2 ** 20 };
/** Memory is flat where its mean in the last fifth of the samples is at most this share of that in the second fifth. */
const FLAT = 1.1;

/** What was seen at one time; what is of the dispatchers, of all of them together. */
interface Sample {
  /** Seconds since the first. */
  at: number;
  ended: number;
  /** Milliseconds of processor time so far. */
  cpu: number;
  /** Bytes. */
  memory: number;
  /** Bytes that the greatest of them has had at most. */
  peak: number;
  /** Bytes that Postgres has, its shared buffers left out. */
  postgres: number;
}

/** Trial 7: as many deliveries as the machine can make, for a long time, receiver and Postgres on the same processors. */
export const throughput: Trial = {
  number: 7,
  asked:
    `≥ ${RATE} deliveries/s on 2 cores to a TLS receiver on loopback, flat memory over 30 minutes; a run of ` +
    `${RUN.deliveries} within 2 s of CPU and 256 MB`,
  async run(world, { short, minutes }) {
    const { sql, receiver, spawnDispatcher } = world;
    const [warmUp, seconds, every] = short ? [3, 8, 1] : [30, minutes * 60, 10];
    const workspaces = await createSubscribers(sql, receiver.okUrl, WORKSPACES);
    const feeder = startFeeder(sql, workspaces);
    const pids = Array.from({ length: DISPATCHERS }, () => spawnDispatcher({ silent: true }).pid);
    const samples: Sample[] = [];
    try {
      await pause(warmUp * 1000);
      const start = performance.now();
      while (samples.length === 0 || samples.at(-1)!.at < seconds) {
        await pause(Math.max(0, start + samples.length * every * 1000 - performance.now()));
        samples.push(await takeSample(world, workspaces, pids, start));
        if (samples.length % 6 === 0) console.log(`  ${summarise(samples).text}`);
      }
    } finally {
      await feeder.stop();
    }
    const { rate, isFlat, runSeconds, text } = summarise(samples);
    // In seconds, memory has not had the time to become flat.
    return {
      ok: rate >= RATE && (short || isFlat) && runSeconds <= RUN.cpuSeconds &&
        samples.at(-1)!.peak <= RUN.bytes,
      measured: `${text}; a run of ${RUN.deliveries} takes ${runSeconds.toFixed(2)} s of CPU`,
    };
  },
};

/** Makes events ahead of the dispatchers until it is stopped. */
function startFeeder(sql: Sql, workspaces: string[]): { stop(): Promise<void> } {
  let stopped = false;
  const feeding = (async () => {
    while (!stopped) {
      if (await countDeliveries(sql, workspaces, sql`state = 'pending'`) < REFILL_BELOW) {
        await enqueue(sql, workspaces, REFILL);
      } else await pause(REFILL_MS);
    }
  })();
  return {
    async stop() {
      stopped = true;
      await feeding;
    },
  };
}

async function takeSample(
  { sql, receiver }: DeliveryWorld,
  workspaces: string[],
  pids: number[],
  start: number,
): Promise<Sample> {
  // What has arrived is nothing to this figure but memory.
  receiver.clear();
  const [cpu, memory, postgres, ended] = await Promise.all([
    Promise.all(pids.map(cpuOfProcess)),
    Promise.all(pids.map(memoryOfProcess)),
    memoryOfPostgres(sql),
    countEnded(sql, workspaces),
  ]);
  return {
    at: (performance.now() - start) / 1000,
    ended,
    cpu: sum(cpu),
    memory: sum(memory.map(({ now }) => now)),
    peak: Math.max(...memory.map(({ peak }) => peak)),
    postgres,
  };
}

/** What the samples so far come to. */
function summarise(samples: Sample[]) {
  const [first, last] = [samples[0]!, samples.at(-1)!];
  const ended = last.ended - first.ended;
  const rate = ended / (last.at - first.at);
  const cpuMs = (last.cpu - first.cpu) / ended;
  const memory = trendOf(samples.map((sample) => sample.memory));
  const postgres = trendOf(samples.map((sample) => sample.postgres));
  return {
    rate,
    runSeconds: cpuMs * RUN.deliveries / 1000,
    isFlat: memory.isFlat && postgres.isFlat,
    text: `${last.at.toFixed(0)} s: ${ended} deliveries, ${rate.toFixed(0)}/s, ` +
      `${cpuMs.toFixed(2)} ms of CPU for each in the ${DISPATCHERS} dispatchers; ` +
      `their memory ${memory.text}, peak of one ${megabytes(last.peak)} MB; Postgres ${postgres.text}`,
  };
}

/** How bytes go from the second to the last fifth of the samples. */
function trendOf(values: number[]): { isFlat: boolean; text: string } {
  const [from, to] = [1, 4].map((fifth) => {
    const end = Math.ceil(values.length * (fifth + 1) / 5);
    const part = values.slice(Math.floor(values.length * fifth / 5), end);
    return sum(part) / part.length;
  }) as [number, number];
  return { isFlat: to <= from * FLAT, text: `${megabytes(from)} → ${megabytes(to)} MB` };
}

function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}
