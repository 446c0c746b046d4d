import { migrate } from "../../../run/local/migrate.ts";
import { atMost, count, waiting } from "../../harness/figures.ts";
import type { Subject } from "../../harness/run_subjects.ts";
import { pause } from "../../harness/waiting.ts";
import { allDelivered, readDeliveries } from "../life/database.ts";
import { mixedRequests } from "../life/requests.ts";
import { openLifeWorld } from "../life/world.ts";
import { countAnswers } from "../load/world.ts";
import { makeNextRelease } from "../upgrade/next_release.ts";

const SIZES = { workspaces: 200, keysEach: 5, contactsEach: 500 };
const SHORT_SIZES = { workspaces: 60, keysEach: 5, contactsEach: 50 };
/** Requests a second: about a fifth of what two processors answer. */
const RATE = 100;
/** Seconds of load before the upgrade, and from the start of the upgrade on. */
const BEFORE = 3;
const DURING = { whole: 20, short: 8 };
/** How long a request may wait behind a migration: the `lock_timeout` of migrations. */
const LONGEST_MS = 2_000;

/** Applies the next release's migrations while the functions of this release answer requests. */
export const upgrade: Subject = {
  name: "upgrade",
  title: "Upgrade: a release with a change of each kind, while clients call",
  async measure({ short, note }) {
    await using next = await makeNextRelease();
    await using world = await openLifeWorld(short ? SHORT_SIZES : SIZES);
    const { sql, workspaces, functions } = world;
    const load = {
      baseUrl: functions.baseUrl,
      requests: mixedRequests(workspaces),
      connections: 64,
      rate: RATE,
    };
    // The first requests open connections, make plans and compile code, so they do not count.
    await world.send({ ...load, seconds: 2 });
    const [{ since }] = await sql<[{ since: Date }]>`select clock_timestamp() as since`;
    const sending = world.send({ ...load, seconds: BEFORE + (short ? DURING.short : DURING.whole) });
    await pause(BEFORE * 1000);
    const started = performance.now();
    const applied = await migrate(sql, next.migrations);
    note(`${applied} migrations in ${((performance.now() - started) / 1000).toFixed(1)} s`);
    for (;;) {
      const [job] = await sql<
        { command: string }[]
      >`select command from crm.jobs where name = 'once-referred-by'`;
      if (job === undefined) break;
      await sql.unsafe(job.command);
    }
    const result = await sending;
    await allDelivered(sql);
    const deliveries = await readDeliveries(sql, since);
    const [{ twice, empty }] = await sql<[{ twice: number; empty: number }]>`
      select
        (select count(*) - count(distinct a.delivery_id) from crm.webhook_attempts a where a.status = 200)::float8 as twice,
        (select count(*) from crm.contacts c where c.referred_by is null and c.created_at < ${since})::float8 as empty`;
    if (result.example !== null) note(`Not as expected: ${result.example}`);
    note(`${countAnswers(result)} answers, ${deliveries.delivered} deliveries`);
    const longest = Math.max(...result.latencies.flat());
    return [
      count("Answers not as expected during an upgrade", result.unexpected + result.unanswered, "requests"),
      waiting(atMost("Longest answer during an upgrade", Math.round(longest), "ms", LONGEST_MS)),
      count("Events without their delivery during an upgrade", deliveries.lost, "events"),
      count("Deliveries that did not arrive during an upgrade", deliveries.undelivered, "deliveries"),
      count("Deliveries that arrived twice during an upgrade", twice, "deliveries"),
      count("Records that the back-fill left out", empty, "records"),
    ];
  },
};
