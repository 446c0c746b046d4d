import type { ISql } from "postgres";
import { operate } from "../../run/operator/operator.ts";
import { eventually } from "./mailbox.ts";

/**
 * Runs a job now, as `deno task crm job run` does. This run skips rows that the scheduler's own run of the job has
 * locked, so the function then waits until that run, if any, has ended.
 */
export async function runJob(sql: ISql, name: string): Promise<void> {
  await operate(sql, "job_run", { name });
  await eventually(async () => {
    const runs = await sql`
      select from pg_stat_activity a join crm.jobs j on j.command = a.query
      where j.name = ${name} and a.application_name = 'crm-scheduler' and a.state <> 'idle'`;
    return runs.length === 0;
  }, `the end of the scheduler's own run of ${name}`);
}

/**
 * Runs the job `index-texts` until it has indexed everything that was committed before. An open transaction that has
 * written, such as another job's, delays the job.
 */
export async function indexTexts(sql: ISql): Promise<void> {
  const [{ position }] = await sql<[{ position: string }]>`select crm.feed_position()::text as position`;
  await eventually(async () => {
    await runJob(sql, "index-texts");
    const [row] = await sql<[{ done: boolean }]>`
      select p.position > ${position}::bigint and not exists (select from crm.search_backlog) as done
      from crm.search_progress p`;
    return row.done;
  }, "the texts to be kept");
}
