import postgres, { type ISql } from "postgres";
import { OperationError } from "./operation_error.ts";

export interface Job {
  name: string;
  /** Interval, as Postgres writes it. */
  every: string;
  description: string;
}

/** What runs by itself, by name. */
export async function listJobs(sql: ISql): Promise<Job[]> {
  return await sql<Job[]>`select name, every::text as every, description from crm.jobs order by name`;
}

/**
 * Runs a scheduled job now, whenever its next time is.
 * @returns how long it took.
 * @throws OperationError where there is no such job, or it fails.
 */
export async function runJob(sql: ISql, name: string): Promise<{ name: string; duration_ms: number }> {
  const [job] = await sql<{ command: string }[]>`select command from crm.jobs where name = ${name}`;
  if (!job) {
    const known = (await listJobs(sql)).map((job) => `"${job.name}"`).join(", ");
    throw new OperationError(`No job is called "${name}": there are ${known}`);
  }
  const startedAt = performance.now();
  try {
    await sql.unsafe(job.command);
  } catch (error) {
    if (!(error instanceof postgres.PostgresError)) throw error;
    throw new OperationError(`The job "${name}" failed: ${error.message}`);
  }
  return { name, duration_ms: Math.round(performance.now() - startedAt) };
}
