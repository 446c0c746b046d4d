import assert from "node:assert/strict";
import { type Diagnosis, examine } from "../../run/deployment/doctor/examine.ts";
import { pause } from "../../bench/harness/waiting.ts";
import { connect } from "../../bench/harness/world.ts";
import { startStackProcess } from "../../run/local/stack_process.ts";
import { readSecrets } from "../../run/local/secrets.ts";
import { extensions } from "../../run/deployment/doctor/checks/extensions.ts";
import { breakAndMend, findingsOf, look as lookBy, resultOf } from "../deployment/doctor.ts";
import { prepareAsSupabase, startDebianPostgres } from "../support/debian_postgres.ts";
import { needing } from "../support/needing.ts";
import { openFolder } from "../support/folder.ts";
import { createNet, createVault } from "../support/vault.ts";

/**
 * pg_cron 1.4 runs a job at the next full minute at the earliest. The other 90 seconds are for runs and checks, which
 * take seconds on a busy machine.
 */
const FIRST_RUN_S = 150;

Deno.test(needing(["postgresql-15", "postgresql-15-cron"], {
  name: "The doctor finds faults in pg_cron, pg_net and the Vault, and its remedies repair them",
  fn: async (t) => {
    await using server = await startDebianPostgres();
    await using admin = connect(server.superuserUrl);
    await using owner = connect(server.url);
    await using folder = await openFolder();
    await prepareAsSupabase(admin);
    const stack = await startStackProcess(folder.path, { DATABASE_URL: server.url });
    await using cleanup = new AsyncDisposableStack();
    cleanup.defer(async () => void await stack.stop());
    const look = () =>
      examine({
        databaseUrl: server.url,
        functionsUrl: stack.file.base_url,
        region: null,
        appOrigin: stack.file.console_url,
      });
    const step = (name: string, breakage: Parameters<typeof breakAndMend>[2]) =>
      t.step(name, () => breakAndMend(look, owner, breakage));

    await t.step("what a new project lacks: pg_net, the Vault, a first run of the jobs", async () => {
      const found = findingsOf(await look()).filter((finding) => !/^jobs: .* has never run/.test(finding));
      assert.deepEqual(found.map((finding) => finding.split(",")[0]), [
        "extensions: The extension pg_net is not enabled",
        "extensions: The extension supabase_vault is not enabled",
      ]);
      const first = findingsOf(await look());
      // If a new minute has begun since the start, pg_cron has already run the jobs of every minute.
      const [{ ran }] = await owner<[{ ran: boolean }]>`
        select exists (select from cron.job_run_details) as ran`;
      assert.ok(ran || first.some((finding) => /webhook-dispatch has never run/.test(finding)));

      await createNet(admin);
      await createVault(admin);
      const { findings } = resultOf(await look(), "Vault");
      assert.equal(findings.length, 2);
      const secret = (await readSecrets(folder.path))!.webhook_dispatcher_secret;
      for (const { remedy } of findings) {
        assert.ok("sql" in remedy);
        await owner.unsafe(remedy.sql.replace("<WEBHOOK_DISPATCHER_SECRET>", secret));
      }
      await waitForRuns(look);
      // Matches an hourly or a daily job, because one of the two may just have run.
      assert.match(
        resultOf(await look(), "jobs").note!,
        /^not run yet: .*(partition-events|purge-key-calls)/,
      );
    });

    await step("a job that is not scheduled", {
      breaks: () => owner`select cron.unschedule('crm:deals-stale')`,
      finding: /^jobs: The job deals-stale is not scheduled$/,
    });
    await step("a job that is scheduled otherwise", {
      breaks: () => owner`select cron.schedule('crm:webhook-dispatch', '*/30 * * * *', 'select 1')`,
      finding: /^jobs: The job webhook-dispatch is scheduled differently from crm.jobs$/,
    });
    await step("a job that is switched off", {
      breaks: () =>
        admin`select cron.alter_job(jobid, active := false) from cron.job where jobname = 'crm:deals-stale'`,
      finding: /^jobs: The job deals-stale is switched off$/,
    });
    await step("a job of an earlier release", {
      breaks: () => owner`select cron.schedule('crm:of-yesterday', '* * * * *', 'select 1')`,
      finding: /^jobs: pg_cron runs crm:of-yesterday, which is not in crm.jobs$/,
    });
    // Makes the last run look old or failed, because waiting for such a run would take minutes.
    let changedRun = "0";
    const changeLastRun = async (change: string) => {
      await passFullMinute();
      const [{ runid }] = await admin<[{ runid: string }]>`
        select max(d.runid) as runid from cron.job_run_details d join cron.job j using (jobid)
        where j.jobname = 'crm:webhook-dispatch' and d.status in ('succeeded', 'failed')`;
      changedRun = runid;
      await changeRun(change);
    };
    const changeRun = (change: string) =>
      admin.unsafe(`update cron.job_run_details set ${change} where runid = ${changedRun}`);
    await step("a job that ran last too long ago", {
      breaks: () => changeLastRun("start_time = start_time - interval '10 minutes'"),
      finding: /^jobs: The job webhook-dispatch ran last 6\d\d s ago, but is due every 60 s$/,
      mends: () => changeRun("start_time = start_time + interval '10 minutes'"),
    });
    await step("a job whose last run failed", {
      breaks: () => changeLastRun("status = 'failed', return_message = 'ERROR:  the reason'"),
      finding: /^jobs: The last run of the job webhook-dispatch failed: ERROR: {2}the reason$/,
      mends: () => changeRun("status = 'succeeded'"),
    });
    await step("a history that is never deleted", {
      breaks: () =>
        admin`
          insert into cron.job_run_details (jobid, runid, status, start_time, end_time)
          select jobid, 0, 'succeeded', now() - interval '9 days', now() - interval '9 days'
          from cron.job where jobname = 'crm:webhook-dispatch'
        `,
      finding: /^cron history: cron.job_run_details has runs from 9 days ago/,
    });
    await t.step("pg_cron that is not enabled, unless the local stack runs the jobs", async () => {
      await admin`drop extension pg_cron`;
      assert.deepEqual(findingsOf(await look()), []);
      const functionsUrl = "https://example.supabase.co/functions/v1";
      const { checks } = await lookBy([extensions], { sql: owner, functionsUrl });
      const [finding] = checks[0]!.findings;
      assert.equal(finding?.message, "The extension pg_cron is not enabled, so no job runs");
      assert.ok("sql" in finding.remedy);
      await admin.unsafe(finding.remedy.sql);
      // The superuser created the extension and scheduled the jobs; on Supabase, `postgres` does both.
      await admin`delete from cron.job`;
      await admin`grant usage on schema cron to postgres`;
      await admin`grant select, delete on cron.job, cron.job_run_details to postgres`;
      await owner`select crm.schedule_jobs()`;
      await waitForRuns(look);
    });
  },
}));

/** Waits until the doctor finds nothing wrong. Looks only every 2 s, because other tests may be measuring times. */
async function waitForRuns(look: () => Promise<Diagnosis>): Promise<void> {
  const deadline = performance.now() + FIRST_RUN_S * 1000;
  for (;;) {
    const diagnosis = await look();
    if (diagnosis.ok) return;
    assert.ok(performance.now() < deadline, findingsOf(diagnosis).join("\n"));
    await pause(2_000);
  }
}

/** Waits until pg_cron will start no run for 20 seconds: a new run would replace the last run, which a test changes. */
async function passFullMinute(): Promise<void> {
  const second = new Date().getSeconds();
  const wait = second >= 40 ? 65 - second : second < 5 ? 5 - second : 0;
  await pause(wait * 1000);
}
