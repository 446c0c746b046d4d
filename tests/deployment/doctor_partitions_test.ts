import type { Sql } from "postgres";
import { partitions } from "../../run/deployment/doctor/checks/partitions.ts";
import { runChecks } from "../../run/deployment/doctor/examine.ts";
import { passMidnight } from "../support/midnight.ts";
import { startOwnDatabase } from "../support/own_database.ts";
import { breakAndMend } from "./doctor.ts";

Deno.test("The doctor sees what is wrong with the partitions, and its remedy mends it", async (t) => {
  await passMidnight(120);
  await using database = await startOwnDatabase();
  const owner = database.sql;
  const look = () =>
    runChecks({
      sql: owner,
      databaseUrl: new URL(database.url),
      functionsUrl: "",
      region: null,
      appOrigin: null,
      now: Date.now,
    }, [partitions]);
  const step = (name: string, breakage: Parameters<typeof breakAndMend>[2]) =>
    t.step(name, () => breakAndMend(look, owner, breakage));
  await step("a day without a partition", {
    breaks: () => dropPartitionOfTomorrow(owner),
    finding:
      /^partitions: crm\.events has no partition for \d{4}-\d\d-\d\d: .* goes into crm\.events_default$/,
  });
  await step("rows that went to the default partition", {
    breaks: () =>
      owner`
          insert into crm.webhook_attempts (workspace_id, delivery_id, series, number, status, duration_ms)
          select gen_random_uuid(), crm.uuid_v7(now() - n * interval '1 day'), 1, 1, 200, 5
          from unnest('{3, 40}'::integer[]) n
        `,
    finding:
      /^partitions: crm\.webhook_attempts_default has 2 rows that belong into partitions of their days$/,
  });
  await step("rows of a clock that was ahead", {
    breaks: () =>
      owner`
          insert into crm.webhook_attempts (workspace_id, delivery_id, series, number, status, duration_ms)
          values (gen_random_uuid(), crm.uuid_v7(now() + interval '9 days'), 1, 1, 200, 5)
        `,
    finding: /^partitions: crm\.webhook_attempts_default has 1 rows of days that are more than a week ahead$/,
    mends: () => owner`delete from crm.webhook_attempts_default`,
  });
  await step("more rows in the default partition than can be moved while others write", {
    breaks: () =>
      owner`
          insert into crm.webhook_attempts (workspace_id, delivery_id, series, number, status, duration_ms)
          select gen_random_uuid(), crm.uuid_v7(now() - interval '2 days'), 1, 1, 200, 5
          from generate_series(1, 100001)
        `,
    finding: /^partitions: crm\.webhook_attempts_default has more rows than are moved while others write/,
    mends: () => owner`select crm.manage_partitions('crm.webhook_attempts', p_max_rows => 1000000000)`,
  });
  await step("partitions that should have been dropped", {
    // As they were 40 days ago. Dropping ten at a time, one run is enough for the eight.
    breaks: () => owner`select crm.manage_partitions('crm.webhook_deliveries', now() - interval '40 days')`,
    finding: /^partitions: 8 partitions of crm\.webhook_deliveries are older than 30 days/,
  });
});

async function dropPartitionOfTomorrow(owner: Sql): Promise<void> {
  const [row] = await owner`select to_char((now() at time zone 'UTC')::date + 1, 'YYYY_MM_DD') as day`;
  await owner.unsafe(`drop table crm.events_${row!["day"]}`);
}
