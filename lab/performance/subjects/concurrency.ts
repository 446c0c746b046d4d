import type { Conditions, Measurement, Subject } from "../figure.ts";
import type { Server } from "../functions.ts";
import { answers, type LoadResult, percentile, type PlannedRequest } from "../load.ts";
import { type LoadWorld, openLoadWorld } from "../load_world.ts";
import { api, requestsOf } from "../workload.ts";

const SIZES = { accounts: 100, keysEach: 20, contactsEach: 10 };
const POOL_SIZE = 10;
const LEVELS = [1, 16, 64, 256];
/** How much longer than another a connection may wait for its answers on average. */
const UNFAIR = 2;
/** Connections while nothing can be answered, and how long that is. */
const WAITING = 64;
const BLOCKED_SECONDS = 12;
/**
 * Milliseconds after which every request must be answered: 5 s of waiting for a connection of the pool, 5 s of waiting
 * for the lock, and one for the rest.
 */
const ANSWERED_MS = 11_000;

/** Many connections on few database connections, and a database that does not answer for a while. */
export const concurrency: Subject = {
  name: "concurrency",
  title:
    `1 to 256 connections on a pool of ${POOL_SIZE}, and a database that is blocked for ${BLOCKED_SECONDS} s`,
  async measure(conditions) {
    const world = await openLoadWorld(SIZES);
    try {
      const server = await world.serve({ DATABASE_POOL_SIZE: String(POOL_SIZE) });
      const requests = mixOf(world);
      const measurements: Measurement[] = [];
      for (const connections of LEVELS) {
        measurements.push(...await measureLevel(connections, requests, world, server, conditions));
      }
      measurements.push(...await measureSaturation(requests, world, server, conditions));
      return measurements;
    } finally {
      await world.close();
    }
  },
};

/** Three reads to one create. */
function mixOf({ accounts }: LoadWorld): PlannedRequest[] {
  const reads = requestsOf(accounts, api.read);
  return requestsOf(accounts, api.create).map((create, index) => index % 4 === 0 ? create : reads[index]!);
}

async function measureLevel(
  connections: number,
  requests: PlannedRequest[],
  { generator }: LoadWorld,
  { baseUrl }: Server,
  { short, note }: Conditions,
): Promise<Measurement[]> {
  const result = await generator.send({ baseUrl, connections, seconds: short ? 1.5 : 3, requests });
  const title = connections === 1 ? "1 connection" : `${connections} connections`;
  note(
    `${title}: ${Math.round(answers(result) / result.seconds)} requests/s; half are answered in ` +
      `${percentile(result, 0.5).toFixed(1)} ms, 99 % in ${percentile(result, 0.99).toFixed(1)} ms`,
  );
  const errors = result.unexpected + result.unanswered;
  if (errors > 0) note(`  not answered as expected: ${result.example}`);
  const measured: Measurement[] = [
    { name: `Errors with ${title}`, value: errors, unit: "requests", target: 0, better: "equal" },
  ];
  if (connections > 1) {
    measured.push({
      name: `Mean wait of the slowest of ${title} ÷ of the fastest`,
      value: unfairness(result),
      unit: "ratio",
      target: UNFAIR,
      better: "lower",
    });
  }
  return measured;
}

/** Of a connection that got no answer at all the wait has no end. */
function unfairness({ latencies }: LoadResult): number {
  const means = latencies.map((own) => own.reduce((sum, ms) => sum + ms, 0) / own.length);
  return means.some(Number.isNaN)
    ? Infinity
    : Math.round(100 * Math.max(...means) / Math.min(...means)) / 100;
}

/** A lock that another session holds on the table stops every request, as a migration might that was sent unwisely. */
async function measureSaturation(
  requests: PlannedRequest[],
  { generator, sql }: LoadWorld,
  { baseUrl }: Server,
  { note }: Conditions,
): Promise<Measurement[]> {
  const load = (seconds: number) => generator.send({ baseUrl, connections: WAITING, seconds, requests });
  const blocked = await sql.begin(async (sql) => {
    await sql`lock table crm.contacts in access exclusive mode`;
    const held = new Promise((resolve) => setTimeout(resolve, BLOCKED_SECONDS * 1000));
    const loading = load(BLOCKED_SECONDS);
    await held;
    return { loading };
  }).then(({ loading }) => loading);
  const after = await load(1);
  const longest = Math.max(...blocked.latencies.flat()) / 1000;
  note(`blocked, ${WAITING} connections: answers by status ${JSON.stringify(blocked.statuses)}`);
  const { 201: created = 0, 200: read = 0, 503: unavailable = 0 } = blocked.statuses;
  const count = (name: string, value: number): Measurement => ({
    name,
    value,
    unit: "requests",
    target: 0,
    better: "equal",
  });
  return [
    count("Unanswered while the database is blocked", blocked.unanswered),
    count("Answers other than 200, 201 and 503 while it is", answers(blocked) - created - read - unavailable),
    count("503 without Retry-After", blocked.withoutRetryAfter),
    {
      name: "Longest wait for an answer while it is blocked",
      value: Math.round(longest * 10) / 10,
      unit: "s",
      target: ANSWERED_MS / 1000,
      better: "lower",
    },
    count("Errors once it is free", after.unexpected + after.unanswered),
  ];
}
