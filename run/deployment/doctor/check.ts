import type { Sql } from "postgres";
import { isLoopback } from "../../../supabase/functions/_shared/runtime/service.ts";

export interface Project {
  /** A client as the owner of the schema. */
  sql: Sql;
  databaseUrl: URL;
  /** `https://<ref>.supabase.co/functions/v1`, without a slash at its end. */
  functionsUrl: string;
  /** The region in which the schedule should call the dispatcher; null for any region. */
  region: string | null;
  appOrigin: string | null;
  now(): number;
}

/** How to fix a finding: SQL to run as the owner of the schema, a command, or a sentence. */
export type Remedy = { sql: string } | { command: string } | { advice: string };

export interface Finding {
  message: string;
  remedy: Remedy;
}

/** The result of a check. Without findings nothing is wrong. */
export interface Observation {
  findings: Finding[];
  /** What an operator should know, even if nothing is wrong. */
  note?: string;
  /** The check could not run, because of a finding of another check; the note says why. */
  skipped?: true;
}

export interface Check {
  name: string;
  /** The check runs even if the database cannot be reached; the others are skipped then. */
  withoutDatabase?: true;
  look(project: Project): Promise<Observation>;
}

export function fine(note?: string): Observation {
  return note === undefined ? { findings: [] } : { findings: [], note };
}

export function skipped(note: string): Observation {
  return { findings: [], note, skipped: true };
}

export function wrong(message: string, remedy: Remedy): Observation {
  return { findings: [{ message, remedy }] };
}

/** The command that deploys again or, for the local stack, starts it again. */
export function deployAgain({ functionsUrl }: Pick<Project, "functionsUrl">): Remedy {
  return { command: isLoopback(new URL(functionsUrl).hostname) ? "deno task start" : "deno task deploy" };
}

/** Whether pg_cron is installed, or could be. Without it the local stack's scheduler runs the jobs. */
export async function hasCron(sql: Sql): Promise<{ installed: boolean; available: boolean }> {
  const [row] = await sql<[{ installed: boolean; available: boolean }]>`
    select
      exists (select from pg_extension where extname = 'pg_cron') as installed,
      exists (select from pg_available_extensions where name = 'pg_cron') as available
  `;
  return row;
}

/** Whether the local stack's scheduler has a session in this database. */
export async function schedulerRuns(sql: Sql): Promise<boolean> {
  const sessions = await sql`
    select from pg_stat_activity where application_name = 'crm-scheduler' and datname = current_database()
  `;
  return sessions.length > 0;
}
