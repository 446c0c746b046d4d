import type { Sql } from "postgres";
import { sum } from "../../harness/figures.ts";
import { cpuOfProcess, memoryOfPostgres, memoryOfProcess } from "../../harness/usage.ts";
import type { Trial, Verdict } from "../trial.ts";
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
        if (samples.length % 6 === 0) console.log(`  ${describe(samples)}`);
      }
    } finally {
      await feeder.stop();
    }
    return judge(samples, short);
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

function judge(samples: Sample[], short: boolean): Verdict {
  const [first, last] = [samples[0]!, samples.at(-1)!];
  const rate = (last.ended - first.ended) / (last.at - first.at);
  const runSeconds = ((last.cpu - first.cpu) / (last.ended - first.ended)) * RUN.deliveries / 1000;
  // In seconds, memory has not had the time to become flat.
  const flat = short || (isFlat(samples, "memory") && isFlat(samples, "postgres"));
  return {
    ok: rate >= RATE && flat && runSeconds <= RUN.cpuSeconds && last.peak <= RUN.bytes,
    measured: `${describe(samples)}; a run of ${RUN.deliveries} takes ${runSeconds.toFixed(2)} s of CPU`,
  };
}

/** So far. */
function describe(samples: Sample[]): string {
  const [first, last] = [samples[0]!, samples.at(-1)!];
  const ended = last.ended - first.ended;
  const trend = (name: "memory" | "postgres") => {
    const [from, to] = [meanOfFifth(samples, 1, name), meanOfFifth(samples, 4, name)];
    return `${megabytes(from)} → ${megabytes(to)} MB`;
  };
  return `${last.at.toFixed(0)} s: ${ended} deliveries, ${(ended / (last.at - first.at)).toFixed(0)}/s, ` +
    `${((last.cpu - first.cpu) / ended).toFixed(2)} ms of CPU for each in the ${DISPATCHERS} dispatchers; ` +
    `their memory ${trend("memory")}, peak of one ${megabytes(last.peak)} MB; Postgres ${trend("postgres")}`;
}

function isFlat(samples: Sample[], name: "memory" | "postgres"): boolean {
  return meanOfFifth(samples, 4, name) <= meanOfFifth(samples, 1, name) * FLAT;
}

/** @param fifth from 0 to 4 */
function meanOfFifth(samples: Sample[], fifth: number, name: "memory" | "postgres"): number {
  const part = samples.slice(
    Math.floor((samples.length * fifth) / 5),
    Math.ceil((samples.length * (fifth + 1)) / 5),
  );
  return sum(part.map((sample) => sample[name])) / part.length;
}

function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}
