import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { runSupabase } from "../../run/deployment/supabase_cli.ts";
import { pause } from "../../bench/harness/waiting.ts";
import { openSql } from "../../run/local/sql.ts";
import { migrate } from "../../run/local/migrate.ts";
import { prepareAsSupabase, startDebianPostgres } from "../support/debian_postgres.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { runJob } from "../support/jobs.ts";
import { eventually } from "../support/mailbox.ts";
import { passMidnight } from "../support/midnight.ts";
import { needing } from "../support/needing.ts";
import { PARTITION_CHECKS } from "../support/partition_checks.ts";
import { daysOf, dropAll, TABLES } from "../support/partitions.ts";
import { RIGHTS_CHECKS } from "../support/rights.ts";

Deno.test(
  needing(["postgresql-15", "postgresql-15-plpgsql-check", "postgresql-15-cron", "the Supabase CLI"], {
    name: "on Debian's Postgres 15",
    fn: async (t) => {
      await using server = await startDebianPostgres();
      await using admin = openSql(server.superuserUrl, { max: 1 });
      await prepareAsSupabase(admin);
      await admin`create extension plpgsql_check schema extensions`;
      const notices: { severity?: string; message?: string }[] = [];
      await using sql = openSql(server.url, { max: 2, onnotice: (notice) => notices.push(notice) });
      await t.step("the migrations apply, once", async () => {
        assert.ok(await migrate(sql) > 0);
        assert.equal(await migrate(sql), 0);
      });

      await t.step("plpgsql_check, by `supabase db lint`, finds no error in any function", async () => {
        const said = await runSupabase({
          args: ["db", "lint", "--schema", "crm,api,app", "--level", "warning", "--fail-on", "error"]
            .concat("--db-url", `${server.url}?sslmode=disable`),
        });
        assert.doesNotMatch(said, /"level": "error"/, said);
        // Without the extension the linter reports nothing, so it must be installed.
        assert.match(said, /Linting schema: crm/);
      });

      await t.step("api.call answers", async () => {
        const { key } = await makeWorkspace(sql);
        const [reply] = await sql`
        select error_code, body::json -> 'data' -> 0 ->> 'name' as name
        from api.call(sha256(${key}::text::bytea), 'pipelines:read', 'pipeline_list', '{}', null, null)`;
        assert.deepEqual({ ...reply }, { error_code: null, name: "Vendas" });
      });

      await t.step("a text is trimmed of white space, and of no letter", async () => {
        const [reply] = await sql`
        select value from crm.parse_argument('name', 'name', ${sql.json("\v\t v vovó v \u00a0\v")}::jsonb)`;
        assert.equal(reply!["value"], "v vovó v");
      });

      for (const { name, run } of RIGHTS_CHECKS) {
        await t.step(name, () => run(sql, server.functionsDatabaseUrl));
      }

      await t.step("every job is on pg_cron's schedule, and scheduling again replaces it", async () => {
        const jobs = () => sql`select jobname, schedule, command from cron.job order by jobname`;
        const before = await jobs();
        const [{ n }] = await sql<[{ n: number }]>`select count(*)::int as n from crm.jobs`;
        assert.equal(before.length, n);
        // pg_cron 1.4 has no intervals in seconds.
        assert.equal(
          before.find(({ jobname }) => jobname === "crm:webhook-dispatch")!["schedule"],
          "*/1 * * * *",
        );
        await sql`update crm.jobs set command = 'select 1' where name = 'webhook-dispatch'`;
        await sql`select crm.schedule_jobs()`;
        const after = await jobs();
        assert.equal(after.length, n);
        assert.equal(
          after.find(({ jobname }) => jobname === "crm:webhook-dispatch")!["command"],
          "select 1",
        );
      });

      await t.step("scheduling warns that without pg_net nothing wakes the dispatcher", () => {
        const warnings = notices.filter(({ severity }) => severity === "WARNING");
        // One warning comes from the migration, one from the step before this.
        assert.equal(warnings.length, 2);
        for (const { message } of warnings) {
          assert.match(message!, /pg_net is not: the job webhook-dispatch wakes no dispatcher/);
        }
      });

      await t.step("the job purge-cron-history keeps 7 days of our jobs, and all of others", async () => {
        await sql`select cron.schedule('theirs', '0 0 1 1 *', 'select 1')`;
        const addRuns = (job: string, days: number) =>
          admin`
        insert into cron.job_run_details (jobid, username, command, status, start_time, end_time)
        select jobid, 'postgres', ${`${job} ${days}`}, 'succeeded', at, case when ${days} < 20 then at end
        from cron.job, (select now() - ${days} * interval '1 day' as at) t where jobname = ${job}`;
        for (const days of [6, 8, 30]) {
          await addRuns("crm:deals-stale", days);
          await addRuns("theirs", days);
        }
        await runJob(sql, "purge-cron-history");
        const left = await sql`
      select command from cron.job_run_details where command ~ '^(crm:deals-stale|theirs) ' order by command`;
        assert.deepEqual(left.map(({ command }) => command), [
          "crm:deals-stale 6",
          "theirs 30",
          "theirs 6",
          "theirs 8",
        ]);
      });

      // The partition checks run the jobs themselves: pg_cron must not start them too at the next full minute.
      await stopJobs(sql);
      for (const { name, run } of PARTITION_CHECKS) {
        await passMidnight();
        await t.step(name, () => run({ sql, url: server.url, superuserUrl: server.superuserUrl }));
      }

      await t.step("pg_cron makes the partitions on its own, as the role postgres", async () => {
        await passMidnight(150);
        await dropAll(sql);
        // Every minute instead of every hour, because a test cannot wait for an hour.
        await sql`update crm.jobs set every = '1 minute' where name like 'partition-%'`;
        await sql`select crm.schedule_jobs()`;
        const made = async () => {
          const days = await Promise.all(TABLES.map((table) => daysOf(sql, table)));
          return days.every((of) => of.length === 8);
        };
        const jobs = ["attempts", "deliveries", "events", "requests"];
        const runsOf = () =>
          sql`
          select distinct j.jobname, d.status, d.username from cron.job_run_details d join cron.job j using (jobid)
          where j.jobname like 'crm:partition-%' and d.status <> 'running' order by 1`;
        await eventually(
          async () => await made() && (await runsOf()).length >= jobs.length,
          "the partitions",
          130,
        );
        assert.deepEqual(
          (await runsOf()).map((run) => ({ ...run })),
          jobs.map((of) => ({
            jobname: `crm:partition-${of}`,
            status: "succeeded",
            username: "postgres",
          })),
        );
        const owners = await sql`
        select distinct pg_get_userbyid(relowner) as owner from pg_class
        where relnamespace = 'crm'::regnamespace and relispartition`;
        assert.deepEqual([...owners], [{ owner: "postgres" }]);
      });
    },
  }),
);

/** Takes our jobs off pg_cron's schedule, and waits for running jobs to end. */
async function stopJobs(sql: Sql): Promise<void> {
  await sql`select cron.unschedule(jobname) from cron.job where jobname like 'crm:%'`;
  // pg_cron reads its schedule once a second, and does not stop jobs that it has started.
  await pause(1_500);
  await eventually(async () => {
    const runs = await sql`select from pg_stat_activity where application_name = 'pg_cron'`;
    return runs.length === 0;
  }, "the jobs that run");
}
