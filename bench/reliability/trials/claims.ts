import type { Sql } from "postgres";
import { percentile, sum } from "../../harness/figures.ts";
import { cpuOfProcess } from "../../harness/usage.ts";
import { connect, openWorld } from "../../harness/world.ts";
import { enqueue } from "../queue.ts";
import { seedGroup } from "../seed.ts";
import type { Trial } from "../world.ts";

const ALLOWED_MS = 10;
/** The most deliveries that a dispatcher claims at once: its free places (webhook-dispatcher/places.ts). */
const BATCH = 64;
/** Each round claims a delivery of every active workspace. */
const ROUNDS = 3;
/**
 * In a short run: maximum processor time of a claim with held deliveries ÷ without. A short run often shares the
 * machine, so its times are not judged.
 */
const ALLOWED_GROWTH = 2;

/** Trial 10: how long a claim takes when many deliveries are held and many workspaces wait. */
export const claims: Trial = {
  number: 10,
  apart: true,
  target:
    `A claim of ${BATCH} with 100,000 deliveries held for 50,000 inactive subscriptions, and 10,000 active ` +
    `workspaces: p99 ≤ ${ALLOWED_MS} ms`,
  timed: true,
  async run(_, { short }) {
    await using world = await openWorld();
    const { sql } = world;
    const [goneWorkspaces, activeWorkspaces] = short ? [50, 500] : [1_000, 10_000];
    // Claims as dispatchers do: with their login and a named statement.
    await using dispatcher = connect(world.functionsDatabaseUrl);
    const active = await seedGroup(sql, {
      name: "active",
      workspaces: activeWorkspaces,
      subscriptionsEach: 1,
    });
    const before = await timeRounds(sql, dispatcher, active);

    const gone = await seedGroup(sql, { name: "gone", workspaces: goneWorkspaces, subscriptionsEach: 50 });
    await enqueue(sql, gone, 2);
    await sql`
      update crm.webhook_subscriptions
      set is_active = false, deactivated_at = now(), deactivated_reason = 'failures'
      where target_url like 'https://gone-%'`;
    const { times: settling } = await timeClaims(
      dispatcher,
      async () => await count(sql`crm.webhook_unsettled`, sql) > 0,
    );
    const held = await count(sql`crm.webhook_queue where state = 'held'`, sql);
    const beside = await timeRounds(sql, dispatcher, active);
    const isQuick = percentile(beside.times, 0.99) <= ALLOWED_MS;
    return {
      ok: held === goneWorkspaces * 100 && (short ? beside.cpu <= before.cpu * ALLOWED_GROWTH : isQuick),
      measured:
        `${held} held, ${activeWorkspaces} workspaces: ${describe(beside)}; nothing held: ${
          describe(before)
        }; ` +
        `claims that settled deactivated subscriptions: ${settling.length}, the longest ${
          Math.max(...settling).toFixed(1)
        } ms`,
    };
  },
};

/** The milliseconds of each claim, and the mean milliseconds of processor time that a claim takes. */
interface Claims {
  times: number[];
  cpu: number;
}

/** Each round makes a delivery for every active workspace, and claims until nothing is due. */
async function timeRounds(sql: Sql, dispatcher: Sql, active: string[]): Promise<Claims> {
  const rounds: Claims[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    await enqueue(sql, active, 1);
    // In all rounds, half of the workspaces have a delivery that waits for a retry in an hour.
    if (round === 0) {
      await sql`
        update crm.webhook_deliveries d set attempts = 1, next_attempt_at = now() + interval '1 hour'
        from (
          select workspace_id, delivery_id, row_number() over (order by workspace_id) % 2 = 0 as later
          from crm.webhook_queue where state = 'ready'
        ) q
        where d.workspace_id = q.workspace_id and d.id = q.delivery_id and q.later`;
    }
    const ofRound = await timeClaims(dispatcher, async (claimed) => {
      // Records every leased delivery as delivered.
      await sql`
        select crm.delivery_record(json_agg(json_build_object(
          'workspace_id', workspace_id, 'delivery_id', delivery_id, 'lease_token', lease_token,
          'status', 200, 'duration_ms', 1
        )))
        from crm.webhook_queue where state = 'leased'`;
      return claimed > 0;
    });
    // The first round only fills caches and plans.
    if (round > 0) rounds.push(ofRound);
  }
  const times = rounds.flatMap((round) => round.times);
  return { times, cpu: sum(rounds.map(({ cpu, times }) => cpu * times.length)) / times.length };
}

async function timeClaims(sql: Sql, goOn: (claimed: number) => Promise<boolean>): Promise<Claims> {
  const [{ pid }] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`;
  const cpu = await cpuOfProcess(pid);
  const times: number[] = [];
  let claimed = 0;
  do {
    const started = performance.now();
    claimed = (await sql`select * from crm.delivery_claim(${BATCH})`).length;
    times.push(performance.now() - started);
  } while (await goOn(claimed));
  return { times, cpu: (await cpuOfProcess(pid) - cpu) / times.length };
}

async function count(rows: ReturnType<Sql>, sql: Sql): Promise<number> {
  const [row] = await sql<[{ count: number }]>`select count(*)::integer from ${rows}`;
  return row.count;
}

function describe({ times, cpu }: Claims): string {
  const [p50, p99, most] = [0.5, 0.99, 1].map((share) => percentile(times, share).toFixed(1));
  return `p50 ${p50} ms, p99 ${p99} ms, max ${most} ms, ${
    cpu.toFixed(1)
  } ms of processor (${times.length} claims)`;
}
