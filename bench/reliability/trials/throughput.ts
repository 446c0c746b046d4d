import type { Sql } from "postgres";
import { sum } from "../../harness/figures.ts";
import { cpuOfProcess, memoryOfPostgres, memoryOfProcess } from "../../harness/usage.ts";
import type { DeliveryWorld, Trial } from "../world.ts";
import { countDeliveries, countEnded, createSubscribers, enqueue } from "../queue.ts";
import { eventually, pause } from "../../harness/waiting.ts";

const RATE = 150;
const DISPATCHERS = 2;
/** Enough that their places (4 for each subscription) never limit a dispatcher. */
const WORKSPACES = 200;
/** New events of each workspace whenever fewer than REFILL_BELOW deliveries wait, so that the queue stays filled. */
const REFILL = 2;
const REFILL_BELOW = 1_000;
const REFILL_MS = 200;
/** Limits for a run: its deliveries (dispatch.ts), and the time and memory of an invocation on Supabase. */
const RUN = { deliveries: 250, cpuSeconds: 2, bytes: 256 * 2 ** 20 };
/** Memory is flat if the mean of the last fifth of the samples is at most this many times the mean of the second. */
const FLAT = 1.1;

interface Sample {
  at: number;
  ended: number;
  cpu: number;
  memory: number;
  peak: number;
  /** Bytes of Postgres, without its shared buffers. */
  postgres: number;
}

/** Trial 7: the highest rate over a long time, with receiver and Postgres on the same processors. */
export const throughput: Trial = {
  number: 7,
  target:
    `≥ ${RATE} deliveries/s on 2 cores to a TLS receiver on loopback, flat memory over 30 minutes; a run of ` +
    `${RUN.deliveries} within 2 s of CPU and 256 MB`,
  async run(world, { short, minutes }) {
    const { sql, receiver, spawnDispatcher } = world;
    const [warmUp, seconds, every] = short ? [2, 4, 1] : [30, minutes * 60, 10];
    const workspaces = await createSubscribers(sql, receiver.urls("ok"), WORKSPACES);
    await using _feeder = startFeeder(sql, workspaces);
    const pids = Array.from({ length: DISPATCHERS }, () => spawnDispatcher({ silent: true }).pid);
    const samples: Sample[] = [];
    await eventually(async () => await countEnded(sql, workspaces) > 0, "the dispatchers to begin");
    await pause(warmUp * 1000);
    const start = performance.now();
    while (samples.length === 0 || samples.at(-1)!.at < seconds) {
      await pause(Math.max(0, start + samples.length * every * 1000 - performance.now()));
      samples.push(await takeSample(world, workspaces, pids, start));
      if (samples.length % 6 === 0) console.log(`  ${summarise(samples).text}`);
    }
    const { rate, isFlat, runSeconds, text } = summarise(samples);
    // A short run cannot show how memory grows, and often shares the machine, so neither memory nor rate is judged.
    return {
      ok: (short || (rate >= RATE && isFlat)) && runSeconds <= RUN.cpuSeconds &&
        samples.at(-1)!.peak <= RUN.bytes,
      measured: `${text}; a run of ${RUN.deliveries} takes ${runSeconds.toFixed(2)} s of CPU`,
    };
  },
};

/** Keeps the queue filled until the scope ends (`await using`). */
function startFeeder(sql: Sql, workspaces: string[]): AsyncDisposable {
  let stopped = false;
  const feeding = (async () => {
    while (!stopped) {
      if (await countDeliveries(sql, workspaces, sql`state = 'pending'`) < REFILL_BELOW) {
        await enqueue(sql, workspaces, REFILL);
      } else await pause(REFILL_MS);
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
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
  // Stored arrivals would only use memory.
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
