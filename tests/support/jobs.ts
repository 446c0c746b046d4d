import type { ISql } from "postgres";
import { operate } from "../../operator/operator.ts";

/** Runs a job now, as `deno task crm job run` does. */
export async function runJob(sql: ISql, name: string): Promise<void> {
  await operate(sql, "job_run", { name });
}
