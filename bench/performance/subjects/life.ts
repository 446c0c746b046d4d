import {
  atMost,
  count,
  type Measurement,
  median,
  percentile,
  ratio,
  waiting,
} from "../../harness/figures.ts";
import type { Conditions, Subject } from "../../harness/run_subjects.ts";
import { memoryOfPostgres, memoryOfProcess } from "../../harness/usage.ts";
import { pause } from "../../harness/waiting.ts";
import { KINDS, mixedRequests } from "../life/requests.ts";
import { allDelivered, readDeliveries, readTables, readWal, tableFigures } from "../life/database.ts";
import { type LifeWorld, openLifeWorld } from "../life/world.ts";
import type { LoadPlan, LoadResult } from "../load/generator_process.ts";
import { countAnswers } from "../load/world.ts";

const SIZES = { workspaces: 200, keysEach: 5, contactsEach: 100 };
/** Smaller sizes, so that a short run is soon prepared. */
const SHORT_SIZES = { workspaces: 60, keysEach: 5, contactsEach: 20 };
const MINUTES = { alone: 10, amongAll: 2, short: 1 };
/** The load, as a share of the highest rate that can be answered and delivered. */
const SHARE = 0.7;
/** Maximum calls a minute for each key. Even with the calls just before, it stays under its limit of 120. */
const KEY_CALLS = 50;
const SATURATION = { connections: 16, seconds: 20, shortSeconds: 4 };
/** More connections than the load needs unless the functions stall. */
const CONNECTIONS = 64;
const SAMPLE_MS = 1_000;

/** The longest allowed waits in milliseconds for each kind of request, at 70 % of what two processors can do. */
const WAITS: Record<string, [p50: number, p99: number]> = {
  read: [20, 200],
  list: [25, 200],
  create: [25, 200],
  lead: [40, 250],
  update: [25, 200],
  batch: [60, 300],
  search: [25, 250],
};
/** Bytes of write-ahead log for each request, without full-page images, which depend on the checkpoints. */
const WAL_BYTES = 5_000;

/** The bytes of memory that each part uses. */
interface Sample {
  functions: number;
  dispatcher: number;
  postgres: number;
}

/** A realistic load for minutes: some faults, leaks and growth show only after a time. */
export const life: Subject = {
  name: "life",
  title: "Life: 200 workspaces, 1,000 keys, mixed requests and their webhooks at 70 % of saturation",
  async measure(conditions) {
    const { short, amongAll, note } = conditions;
    const minutes = conditions.minutes ??
      (short ? MINUTES.short : amongAll ? MINUTES.amongAll : MINUTES.alone);
    const sizes = short ? SHORT_SIZES : SIZES;
    await using world = await openLifeWorld(sizes);
    const load: Load = (plan) =>
      world.send({ baseUrl: world.functions.baseUrl, requests: mixedRequests(world.workspaces), ...plan });
    const saturation = await measureSaturation(load, world, conditions);
    const keys = sizes.workspaces * sizes.keysEach;
    const rate = Math.min(saturation * SHARE, keys * KEY_CALLS / 60);
    note(`${rate.toFixed(0)} requests a second for ${minutes} minutes`);
    return await measureLife(load, world, { rate, seconds: minutes * 60, note });
  },
};

type Load = (plan: Omit<LoadPlan, "baseUrl" | "requests">) => Promise<LoadResult>;

/**
 * Measures the highest number of requests a second that can be answered, with their webhooks delivered. The time until
 * the last delivery counts: a load whose deliveries pile up cannot last.
 */
async function measureSaturation(
  load: Load,
  { sql }: LifeWorld,
  { short, note }: Conditions,
): Promise<number> {
  const { connections, seconds, shortSeconds } = SATURATION;
  // The first requests open connections, make plans and compile code, so they do not count.
  await load({ connections, seconds: 1 });
  await allDelivered(sql);
  const started = performance.now();
  const result = await load({ connections, seconds: short ? shortSeconds : seconds });
  await allDelivered(sql);
  const rate = countAnswers(result) * 1000 / (performance.now() - started);
  note(
    `Saturation: ${(countAnswers(result) / result.seconds).toFixed(0)} answers a second, ${
      rate.toFixed(0)
    } with their deliveries`,
  );
  return rate;
}

async function measureLife(
  load: Load,
  world: LifeWorld,
  { rate, seconds, note }: { rate: number; seconds: number; note: Conditions["note"] },
): Promise<Measurement[]> {
  const { sql, functions, dispatcher } = world;
  const [{ since }] = await sql<[{ since: Date }]>`select clock_timestamp() as since`;
  const [tables, wal] = [await readTables(sql), await readWal(sql)];
  const samples: Sample[] = [];
  let ended = false;
  const sampling = (async () => {
    while (!ended) {
      samples.push({
        functions: (await memoryOfProcess(functions.pid)).now,
        dispatcher: (await memoryOfProcess(dispatcher.pid)).now,
        postgres: await memoryOfPostgres(sql),
      });
      await pause(SAMPLE_MS);
    }
  })();
  const result = await load({ connections: CONNECTIONS, seconds, rate }).finally(() => ended = true);
  await sampling;
  await allDelivered(sql);
  const [walAfter, deliveries] = [await readWal(sql), await readDeliveries(sql, since)];
  // Waits until each backend has added its work to the tables' statistics, which takes up to a second.
  await pause(1_500);
  const tablesAfter = await readTables(sql);

  const answers = countAnswers(result);
  if (result.example !== null) note(`Not as expected: ${result.example}`);
  note(`${answers} answers, ${deliveries.delivered} deliveries (half within ${deliveries.p50.toFixed(2)} s)`);
  const walBytes = Math.round((walAfter - wal) / answers);
  return [
    count("Answers not as expected", result.unexpected + result.unanswered, "requests"),
    ...measureWaits(result),
    ...measureMemory(samples),
    atMost("Write-ahead log of a request, without whole pages", walBytes, "bytes", WAL_BYTES),
    ...tableFigures(tables, tablesAfter),
    count("Events without their delivery", deliveries.lost, "events"),
    count("Deliveries that did not arrive", deliveries.undelivered, "deliveries"),
    waiting(atMost("From a change to the attempt, p99", deliveries.p99, "s", 2)),
  ];
}

function measureWaits({ byKind }: LoadResult): Measurement[] {
  return KINDS.flatMap(({ name }) =>
    ([["p50", 0.5], ["p99", 0.99]] as const).map(([title, share], index) => {
      const ms = percentile(byKind[name] ?? [], share);
      return waiting(atMost(`Wait, ${title}: ${name}`, ms, "ms", WAITS[name]![index]!));
    })
  );
}

/** Compares the last tenth of the samples with the second. In the first tenth, code is compiled and caches fill. */
function measureMemory(samples: Sample[]): Measurement[] {
  const tenth = Math.max(1, Math.floor(samples.length / 10));
  const names = { functions: "the functions", dispatcher: "the dispatcher", postgres: "Postgres" } as const;
  return Object.entries(names).map(([name, title]) => {
    const values = samples.map((sample) => sample[name as keyof Sample]);
    const [early, late] = [median(values.slice(tenth, 2 * tenth)), median(values.slice(-tenth))];
    return ratio(`Memory of ${title} at the end ÷ after a tenth of the time`, late / early, "lower", 1.2);
  });
}
