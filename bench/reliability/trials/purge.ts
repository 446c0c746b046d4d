import type { Sql } from "postgres";
import { percentile } from "../../harness/figures.ts";
import { pause } from "../../harness/waiting.ts";
import { connect, openWorld } from "../../harness/world.ts";
import { managePartitions, PARTITIONED, seedDay, seedGroup } from "../seed.ts";
import type { Trial } from "../world.ts";

const ALLOWED_S = 1;
const ALLOWED_GROWTH = 2;
/** A short run has a higher limit, because it times few statements and often shares the machine. */
const ALLOWED_GROWTH_SHORT = 10;
/** A day that no table keeps, because all of it is more than 90 days ago. */
const DAYS_AGO = 92;
const WRITERS = 2;
/** How long the work counts as done during the purge. Counted from its start, because the purge may end at once. */
const MEANWHILE_MS = 2_000;

/** When a statement began, and how long it took, in milliseconds. */
interface Timed {
  began: number;
  ms: number;
}

/** Trial 11: a whole day becomes too old while the application writes and a dispatcher claims. */
export const purge: Trial = {
  number: 11,
  apart: true,
  target:
    `Purging a day of 3,000,000 events with deliveries and attempts: ≤ ${ALLOWED_S} s, no row deleted, p99 of ` +
    `claims and writes ≤ ${ALLOWED_GROWTH}× meanwhile`,
  timed: true,
  async run(_, { short }) {
    const [events, seconds] = short ? [10_000, 3] : [3_000_000, 15];
    await using world = await openWorld();
    const { sql } = world;
    await managePartitions(sql);
    await seedGroup(sql, { name: "busy", workspaces: 50, subscriptionsEach: 1 });
    await seedDay(sql, DAYS_AGO, events);
    const before = await readRows(sql);
    if (before.old !== 3 * events) {
      throw new Error(`${before.old} old rows are there instead of ${3 * events}`);
    }
    await sql`vacuum analyze`;

    const work = startWork(world);
    let began = 0;
    let took = 0;
    try {
      await pause(seconds * 1000);
      began = performance.now();
      await managePartitions(sql);
      took = (performance.now() - began) / 1000;
      await pause(Math.max(0, began + MEANWHILE_MS - performance.now()));
    } finally {
      await work.stop();
    }
    const after = await readRows(sql);

    let ok = took <= ALLOWED_S && after.deleted === 0 && after.old === 0;
    const found = Object.entries(work.done).map(([name, all]) => {
      // Leaves out the first second, in which new connections fill their caches.
      const usual = all.filter((one) => one.began < began - 100 && one.began > began - seconds * 1000 + 1000);
      const meanwhile = all.filter((one) => one.began + one.ms >= began && one.began < began + MEANWHILE_MS);
      const [p99, p99Meanwhile] = [usual, meanwhile].map((some) =>
        percentile(some.map(({ ms }) => ms), 0.99)
      );
      ok &&= p99Meanwhile! <= p99! * (short ? ALLOWED_GROWTH_SHORT : ALLOWED_GROWTH);
      const most = Math.max(...meanwhile.map(({ ms }) => ms));
      return `${name} p99 ${p99!.toFixed(1)} → ${p99Meanwhile!.toFixed(1)} ms, max ${most.toFixed(1)} ms ` +
        `(${usual.length} before, ${meanwhile.length} during)`;
    });
    return {
      ok,
      measured: `${before.old} rows went in ${took.toFixed(2)} s, ${after.deleted} ` +
        `deleted one by one; ${found.join(", ")}`,
    };
  },
};

/** Writes contacts, claims deliveries and records outcomes without a pause, on separate connections. */
function startWork(
  { databaseUrl, functionsDatabaseUrl }: { databaseUrl: string; functionsDatabaseUrl: string },
) {
  const done = { "a write": [] as Timed[], "a claim": [] as Timed[], "an outcome": [] as Timed[] };
  let stopped = false;
  async function time<T>(name: keyof typeof done, work: Promise<T>): Promise<T> {
    const began = performance.now();
    const result = await work;
    done[name].push({ began, ms: performance.now() - began });
    return result;
  }
  async function write() {
    await using sql = connect(databaseUrl);
    const members = await sql<
      { workspace_id: string; id: string }[]
    >`select workspace_id, id from crm.members`;
    for (let made = 0; !stopped; made++) {
      const { workspace_id, id } = members[made % members.length]!;
      await time(
        "a write",
        sql`insert into crm.contacts (workspace_id, name, owner_id) values (${workspace_id}, 'Contato', ${id})`,
      );
    }
  }
  async function deliver() {
    await using sql = connect(functionsDatabaseUrl);
    while (!stopped) {
      const claimed = await time("a claim", sql`select * from crm.delivery_claim(16)`);
      for (const { workspace_id, delivery_id, lease_token } of claimed) {
        await time(
          "an outcome",
          sql`
            select crm.delivery_record(json_build_array(json_build_object(
              'workspace_id', ${workspace_id}::uuid, 'delivery_id', ${delivery_id}::uuid,
              'lease_token', ${lease_token}::bigint, 'status', 200, 'duration_ms', 1
            )))`,
        );
      }
    }
  }
  const all = [...Array.from({ length: WRITERS }, write), deliver()];
  return {
    done,
    async stop() {
      stopped = true;
      await Promise.all(all);
    },
  };
}

/** Counts the rows of the old day, and all rows ever deleted from the partitioned tables. */
async function readRows(sql: Sql): Promise<{ old: number; deleted: number }> {
  const [row] = await sql<[{ old: number; deleted: number }]>`
    select
      (select count(*)::integer from crm.events where occurred_at < now() - interval '30 days')
        + (select count(*)::integer from crm.webhook_deliveries where id < crm.uuid_v7_floor(now() - interval '30 days'))
        + (
          select count(*)::integer from crm.webhook_attempts
          where delivery_id < crm.uuid_v7_floor(now() - interval '30 days')
        ) as old,
      (
        select coalesce(sum(n_tup_del), 0)::integer from pg_stat_user_tables
        where schemaname = 'crm' and relname ~ ${`^(${PARTITIONED.join("|")})_(\\d|default)`}
      ) as deleted`;
  return row;
}
