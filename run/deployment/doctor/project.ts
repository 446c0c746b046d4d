import type { Sql } from "postgres";

/** The deployed project that the doctor looks at. */
export interface Project {
  /** As the owner of the schema. */
  sql: Sql;
  databaseUrl: URL;
  /** The URL of the functions without a slash at its end: `https://<ref>.supabase.co/functions/v1`. */
  functionsUrl: string;
  /** The region in which the schedule is to wake the dispatcher; null where the Vault's address may say it. */
  region: string | null;
  /** The address of the console, where the functions know one. */
  appOrigin: string | null;
  /** Milliseconds since 1970 by the clock of this machine. */
  now(): number;
}

/** Whether the database has, or could have, pg_cron. Elsewhere the local stack's scheduler runs the jobs. */
export async function hasCron(sql: Sql): Promise<{ installed: boolean; available: boolean }> {
  const [row] = await sql<[{ installed: boolean; available: boolean }]>`
    select
      exists (select from pg_extension where extname = 'pg_cron') as installed,
      exists (select from pg_available_extensions where name = 'pg_cron') as available
  `;
  return row;
}
