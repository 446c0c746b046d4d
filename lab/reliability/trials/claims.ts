import type { Sql } from "postgres";
import { percentile } from "../../harness/figures.ts";
import { cpuOfProcess } from "../../harness/usage.ts";
import { connect, openWorld } from "../../harness/world.ts";
import { seedContacts, seedGroup } from "../seed.ts";
import type { Trial } from "../world.ts";

const ALLOWED_MS = 10;
/** As the dispatcher asks (webhook-dispatcher/dispatch.ts). */
const BATCH = 64;
const ROUNDS = 3;

/** Trial 10: how long a claim takes when much is held and many workspaces wait. */
export const claims: Trial = {
  number: 10,
  target:
    `A claim of ${BATCH} with 100,000 deliveries held for 50,000 inactive subscriptions, and 10,000 active ` +
    `workspaces: p99 ≤ ${ALLOWED_MS} ms`,
  timed: true,
  async run(_, { short }) {
    await using world = await openWorld();
    const { sql } = world;
    const [goneWorkspaces, active] = short ? [100, 1_000] : [1_000, 10_000];
    await seedGroup(sql, { name: "gone", workspaces: goneWorkspaces, subscriptionsEach: 50 });
    await seedContacts(sql, "gone", 2);
    await sql`
      update crm.webhook_subscriptions
      set is_active = false, deactivated_at = now(), deactivated_reason = 'failures'`;
    // As the dispatchers do, by its login and with a named statement.
    await using dispatcher = connect(world.functionsDatabaseUrl);
    const settling = await timeClaims(dispatcher, async () => await countUnsettled(sql) > 0);
    const held = await countQueued(sql, "held");
    console.log(`  ${held} held, after ${describe(settling)} while they were settled`);

    await seedGroup(sql, { name: "active", workspaces: active, subscriptionsEach: 1 });
    await seedContacts(sql, "active", 1);
    // A retry that is not due for half of them.
    await sql`
      update crm.webhook_deliveries d set attempts = 1, next_attempt_at = now() + interval '5 min'
      from (
        select workspace_id, id, row_number() over (order by workspace_id) % 2 = 0 as later
        from crm.webhook_deliveries where workspace_id in (select id from crm.workspaces where name = 'active')
      ) half
      where d.workspace_id = half.workspace_id and d.id = half.id and half.later`;
    const times: number[] = [];
    const [{ pid }] = await dispatcher<[{ pid: number }]>`select pg_backend_pid() as pid`;
    const cpu = await cpuOfProcess(pid);
    for (let round = 1; round <= ROUNDS; round++) {
      if (round > 1) await seedContacts(sql, "active", 1);
      const ofRound = await timeClaims(dispatcher, async (claimed) => {
        await recordAll(sql);
        return claimed > 0;
      });
      console.log(`  round ${round}: ${describe(ofRound)}`);
      times.push(...ofRound);
    }
    const cpuEach = (await cpuOfProcess(pid) - cpu) / times.length;
    const isQuick = percentile(times, 0.99) <= ALLOWED_MS;
    return {
      // A short run is often beside other work, which does not change how long the processor works for a claim.
      ok: held === goneWorkspaces * 100 && (isQuick || short && cpuEach <= ALLOWED_MS),
      measured:
        `${held} held, ${active} workspaces: ${describe(times)}, ${cpuEach.toFixed(1)} ms of CPU for each; ` +
        `while what became inactive was settled ${describe(settling)}`,
    };
  },
};

/**
 * Claims as long as `goOn` says so.
 * @returns milliseconds of each claim
 */
async function timeClaims(sql: Sql, goOn: (claimed: number) => Promise<boolean>): Promise<number[]> {
  const times: number[] = [];
  let claimed = 0;
  do {
    const started = performance.now();
    const rows = await sql`select * from crm.delivery_claim(${BATCH})`;
    times.push(performance.now() - started);
    claimed = rows.length;
  } while (await goOn(claimed));
  return times;
}

/** Records that everything that is leased was delivered. */
async function recordAll(sql: Sql): Promise<void> {
  await sql`
    select crm.delivery_record(workspace_id, delivery_id, lease_token, true, 200, null, 1)
    from crm.webhook_queue where state = 'leased'`;
}

async function countUnsettled(sql: Sql): Promise<number> {
  const [row] = await sql<[{ count: number }]>`select count(*)::integer as count from crm.webhook_unsettled`;
  return row.count;
}

async function countQueued(sql: Sql, state: string): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::integer as count from crm.webhook_queue where state = ${state}`;
  return row.count;
}

function describe(times: number[]): string {
  const [p50, p99, most] = [0.5, 0.99, 1].map((share) => percentile(times, share).toFixed(1));
  return `p50 ${p50} ms, p99 ${p99} ms, most ${most} ms (${times.length} claims)`;
}
