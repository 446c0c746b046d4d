import { atMost, count, type Measurement, percentile, ratio, sum } from "../../harness/figures.ts";
import { pause } from "../../harness/waiting.ts";
import type { LoadPlan, LoadResult } from "../load/generator_process.ts";
import { api, requestsOf } from "../load/requests.ts";
import { countAnswers, type LoadWorld, openLoadWorld } from "../load/world.ts";
import type { Conditions, Subject } from "../../harness/subject.ts";

const SIZES = { workspaces: 100, keysEach: 20, contactsEach: 10 };
const POOL_SIZE = 10;
const LEVELS = [1, 16, 64, 256];
/** The allowed ratio between the mean waits of the slowest and the fastest connection. */
const UNFAIR = 2;
/** The connections while the database is blocked, and for how long. */
const WAITING = 64;
const BLOCKED_SECONDS = 12;
/** The longest allowed wait: 5 s for a connection of the pool, 5 s for the lock, 1 s for the rest. */
const ANSWERED_SECONDS = 11;

/** Sends requests: three reads to one create. */
type Load = (connections: number, seconds: number) => Promise<LoadResult>;

/** Many connections on few database connections, and a database that is blocked for a while. */
export const concurrency: Subject = {
  name: "concurrency",
  title:
    `1 to 256 connections on a pool of ${POOL_SIZE}, and a database that is blocked for ${BLOCKED_SECONDS} s`,
  async measure(conditions) {
    await using world = await openLoadWorld(SIZES);
    await using server = await world.serve({ DATABASE_POOL_SIZE: String(POOL_SIZE) });
    const requests = mixRequests(world);
    const load: Load = (connections, seconds) =>
      world.send({ baseUrl: server.baseUrl, connections, seconds, requests });
    const measurements: Measurement[] = [];
    for (const connections of LEVELS) measurements.push(...await measureLevel(connections, load, conditions));
    return [...measurements, ...await measureSaturation(load, world, conditions)];
  },
};

function mixRequests({ workspaces }: LoadWorld): LoadPlan["requests"] {
  const reads = requestsOf(workspaces, api.read);
  return requestsOf(workspaces, api.create).map((create, index) => index % 4 === 0 ? create : reads[index]!);
}

async function measureLevel(
  connections: number,
  load: Load,
  { short, note }: Conditions,
): Promise<Measurement[]> {
  const result = await load(connections, short ? 1.5 : 3);
  const title = connections === 1 ? "1 connection" : `${connections} connections`;
  const [half, most] = [0.5, 0.99].map((share) => percentile(result.latencies.flat(), share).toFixed(1));
  const rate = Math.round(countAnswers(result) / result.seconds);
  note(`${title}: ${rate} requests/s; half are answered in ${half} ms, 99 % in ${most} ms`);
  if (countErrors(result) > 0) note(`  not answered as expected: ${result.example}`);
  const errors = count(`Errors with ${title}`, countErrors(result), "requests");
  if (connections === 1) return [errors];
  // Without any answer the mean is NaN, and the figure is not held.
  const means = result.latencies.map((own) => sum(own) / own.length);
  const unfairness = Math.max(...means) / Math.min(...means);
  const name = `Mean wait of the slowest of ${title} ÷ of the fastest`;
  return [errors, ratio(name, unfairness, "lower", UNFAIR)];
}

/** Blocks every request by a lock on the table, as a careless migration could. */
async function measureSaturation(
  load: Load,
  { sql }: LoadWorld,
  { note }: Conditions,
): Promise<Measurement[]> {
  const { loading } = await sql.begin(async (sql) => {
    await sql`lock table crm.contacts in access exclusive mode`;
    const loading = load(WAITING, BLOCKED_SECONDS);
    await pause(BLOCKED_SECONDS * 1000);
    // In an object, because begin() would await a promise and hold the lock until then.
    return { loading };
  });
  const blocked = await loading;
  const after = await load(WAITING, 1);
  note(`blocked, ${WAITING} connections: answers by status ${JSON.stringify(blocked.statuses)}`);
  const { 200: read = 0, 201: created = 0, 503: unavailable = 0 } = blocked.statuses;
  const others = countAnswers(blocked) - read - created - unavailable;
  const longest = Math.round(Math.max(...blocked.latencies.flat()) / 100) / 10;
  return [
    count("Unanswered while the database is blocked", blocked.unanswered, "requests"),
    count("Answers other than 200, 201 and 503 while it is", others, "requests"),
    count("503 without Retry-After", blocked.withoutRetryAfter, "requests"),
    atMost("Longest wait for an answer while it is blocked", longest, "s", ANSWERED_SECONDS),
    count("Errors once it is free", countErrors(after), "requests"),
  ];
}

function countErrors({ unexpected, unanswered }: LoadResult): number {
  return unexpected + unanswered;
}
