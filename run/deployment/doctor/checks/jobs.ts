import type { Sql } from "postgres";
import { hasTable } from "../../../local/sql.ts";
import { type Check, type Finding, fine, hasCron, schedulerRuns, wrong } from "../check.ts";

/** How many seconds late a job may be. pg_cron starts a run within a second, and our jobs take a few seconds. */
const LATENESS_S = 90;
/** A job with at most this interval must have run already. A job with a longer interval may be new and not due yet. */
const OFTEN_S = 60;
const SCHEDULE = { sql: "select crm.schedule_jobs();" };

interface Job {
  name: string;
  /** Seconds between two runs in pg_cron's schedule; at least 60 in old versions of pg_cron. */
  interval: number;
  scheduled: boolean;
  as_declared: boolean;
  active: boolean;
  /** Status of the last run that ended; null before the first. */
  status: string | null;
  reason: string | null;
  age: number | null;
}

/** pg_cron runs every job in crm.jobs, and each job's last run was in time and succeeded. */
export const jobs: Check = {
  name: "jobs",
  async look({ sql }) {
    if (!(await hasCron(sql)).installed) return await lookForScheduler(sql);
    if (!await hasTable(sql, "crm.jobs")) return fine("the jobs come with the migrations");
    const declared = await readJobs(sql);
    const findings = [...declared.flatMap(findJob), ...await findUnknownJobs(sql)];
    const waiting = declared.filter((job) => job.scheduled && job.status === null).map(({ name }) => name);
    return waiting.length === 0 ? { findings } : { findings, note: `not run yet: ${waiting.join(", ")}` };
  },
};

/** Without pg_cron the local stack's scheduler must run the jobs. */
async function lookForScheduler(sql: Sql) {
  if (await schedulerRuns(sql)) return fine("the local stack's scheduler runs them");
  return wrong("Nothing runs the jobs: there is no pg_cron, and no local scheduler is connected", {
    command: "deno task start",
  });
}

function readJobs(sql: Sql) {
  return sql<Job[]>`
    select
      j.name,
      greatest(
        extract(epoch from j.every)::float8,
        case when crm.cron_schedule(j.every) like '*/%' then 60 else 0 end
      ) as interval,
      c.jobid is not null as scheduled,
      coalesce(
        c.schedule = crm.cron_schedule(j.every) and c.command = j.command and c.database = current_database(), false
      ) as as_declared,
      coalesce(c.active, false) as active,
      last.status, last.return_message as reason,
      extract(epoch from clock_timestamp() - last.start_time)::float8 as age
    from crm.jobs j
    left join cron.job c on c.jobname = 'crm:' || j.name
    left join lateral (
      select d.status, d.return_message, d.start_time
      from cron.job_run_details d
      where d.jobid = c.jobid and d.status in ('succeeded', 'failed')
      order by d.runid desc
      limit 1
    ) last on true
    order by j.name
  `;
}

function findJob(job: Job): Finding[] {
  if (!job.scheduled) return [{ message: `The job ${job.name} is not scheduled`, remedy: SCHEDULE }];
  if (!job.as_declared) {
    return [{ message: `The job ${job.name} is scheduled differently from crm.jobs`, remedy: SCHEDULE }];
  }
  if (!job.active) {
    // Only a superuser may call cron.alter_job().
    const sql = `select cron.unschedule('crm:${job.name}');\nselect crm.schedule_jobs();`;
    return [{ message: `The job ${job.name} is switched off`, remedy: { sql } }];
  }
  const findings: Finding[] = [];
  if (job.status === "failed") {
    findings.push({
      message: `The last run of the job ${job.name} failed: ${job.reason?.split("\n")[0]}`,
      remedy: { command: `deno task crm job run ${job.name}` },
    });
  }
  const late = job.age === null ? job.interval <= OFTEN_S : job.age > job.interval + LATENESS_S;
  if (late) {
    const last = job.age === null ? "has never run" : `ran last ${Math.round(job.age)} s ago`;
    findings.push({
      message: `The job ${job.name} ${last}, but is due every ${Math.round(job.interval)} s`,
      remedy: {
        advice: "If no job runs, pg_cron's launcher has ended: restart the database in the dashboard",
      },
    });
  }
  return findings;
}

/** Finds jobs that an earlier release scheduled and that no longer exist. */
async function findUnknownJobs(sql: Sql): Promise<Finding[]> {
  const rows = await sql<{ jobname: string }[]>`
    select c.jobname from cron.job c
    where c.jobname like 'crm:%' and not exists (select from crm.jobs j where c.jobname = 'crm:' || j.name)
    order by c.jobname
  `;
  return rows.map(({ jobname }) => ({
    message: `pg_cron runs ${jobname}, which is not in crm.jobs`,
    remedy: { sql: `select cron.unschedule('${jobname}');` },
  }));
}

/** Old runs are deleted. pg_cron would keep every run: 8,640 rows a day for a job that runs every 10 seconds. */
export const cronHistory: Check = {
  name: "cron history",
  async look({ sql }) {
    if (!(await hasCron(sql)).installed) return fine();
    const [oldest] = await sql<{ days: number }[]>`
      select extract(epoch from now() - start_time)::float8 / 86400 as days from cron.job_run_details
      where start_time is not null and jobid in (select jobid from cron.job where jobname like 'crm:%')
      order by runid
      limit 1
    `;
    if (oldest === undefined || oldest.days <= 8) return fine();
    const days = Math.floor(oldest.days);
    return wrong(`cron.job_run_details has runs from ${days} days ago, and grows with every run`, {
      sql: "delete from cron.job_run_details where start_time < now() - interval '7 days'\n" +
        "and jobid in (select jobid from cron.job where jobname like 'crm:%');",
    });
  },
};
