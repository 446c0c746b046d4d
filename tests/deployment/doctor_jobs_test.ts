// What the doctor reports about the jobs' work: partitions and the search index.
import { partitions } from "../../run/deployment/doctor/checks/partitions.ts";
import { search } from "../../run/deployment/doctor/checks/search.ts";
import { passMidnight } from "../support/midnight.ts";
import { startOwnDatabase } from "../support/own_database.ts";
import { breakAndMend, look } from "./doctor.ts";

Deno.test("The doctor finds wrong partitions and a late search index, and its remedies repair them", async (t) => {
  await passMidnight(120);
  await using database = await startOwnDatabase();
  const { sql } = database;
  await sql`select crm.index_texts()`;
  /** Adds attempts whose deliveries have the given ages. */
  const attempts = (ages: string) => () =>
    sql.unsafe(`
      insert into crm.webhook_attempts (workspace_id, delivery_id, series, number, status, duration_ms)
      select gen_random_uuid(), crm.uuid_v7(now() - age), 1, 1, 200, 5 from unnest('${ages}'::interval[]) age`);
  const cases: [
    name: string,
    breaks: () => Promise<unknown>,
    finding: RegExp,
    mends?: () => Promise<unknown>,
  ][] = [
    [
      "a day without a partition",
      async () => {
        const [row] = await sql`select to_char((now() at time zone 'UTC')::date + 1, 'YYYY_MM_DD') as day`;
        await sql.unsafe(`drop table crm.events_${row!["day"]}`);
      },
      /^partitions: crm\.events has no partition for \d{4}-\d\d-\d\d: new rows go into crm\.events_default$/,
    ],
    [
      "rows in the default partition",
      attempts("{3 days, 40 days}"),
      /^partitions: crm\.webhook_attempts_default has 2 rows that belong in the partitions of their days$/,
    ],
    [
      "rows written while the clock was ahead",
      attempts("{-9 days}"),
      /^partitions: crm\.webhook_attempts_default has 1 rows of days that are more than a week ahead$/,
      () => sql`delete from crm.webhook_attempts_default`,
    ],
    [
      "more rows in the default partition than can be moved while others write",
      () =>
        sql`
          insert into crm.webhook_attempts (workspace_id, delivery_id, series, number, status, duration_ms)
          select gen_random_uuid(), crm.uuid_v7(now() - interval '2 days'), 1, 1, 200, 5
          from generate_series(1, 100001)`,
      /^partitions: crm\.webhook_attempts_default has over 100000 rows/,
      () => sql`select crm.manage_partitions('crm.webhook_attempts', p_max_rows => 1000000000)`,
    ],
    [
      // The job drops at most ten partitions per run, so one run drops all eight.
      "partitions that should have been dropped",
      () => sql`select crm.manage_partitions('crm.webhook_deliveries', now() - interval '40 days')`,
      /^partitions: 8 partitions of crm\.webhook_deliveries are older than 30 days/,
    ],
    [
      "partitions of the request log that should have been dropped",
      () => sql`select crm.manage_partitions('crm.requests', now() - interval '17 days')`,
      /^partitions: 8 partitions of crm\.requests are older than 7 days/,
    ],
    [
      "an index that its job does not update",
      () => sql`update crm.search_progress set reached_at = now() - interval '20 minutes'`,
      /^search: The search index is 20 minutes behind/,
    ],
    [
      "a workspace with more changes than the job can index",
      () =>
        sql`
          insert into crm.search_backlog (workspace_id, position, event_id, reached_at)
          values (gen_random_uuid(), 0, gen_random_uuid(), now() - interval '11 minutes')`,
      /^search: In 1 workspaces more records changed than the job index-texts could index in time$/,
    ],
  ];
  for (const [name, breaks, finding, mends] of cases) {
    const examine = () => look([partitions, search], { sql });
    await t.step(name, () => breakAndMend(examine, sql, { breaks, finding, ...(mends && { mends }) }));
  }
});
