import type { Sql } from "postgres";

/** Bytes that a process has in memory. */
export interface Memory {
  now: number;
  /** The most that it has had. */
  peak: number;
}

/**
 * What a process has in memory.
 * @throws Error where it has ended, or the system has no /proc.
 */
export async function memoryOfProcess(pid: number): Promise<Memory> {
  const status = await readStatus(pid);
  return { now: status("VmRSS"), peak: status("VmHWM") };
}

/** Bytes that the processes of Postgres have to themselves, its shared buffers left out. */
export async function memoryOfPostgres(sql: Sql): Promise<number> {
  const rows = await sql<{ pid: number }[]>`select pid from pg_stat_activity`;
  // One that has ended since has none.
  const each = await Promise.all(
    rows.map(({ pid }) => readStatus(pid).then((status) => status("RssAnon"), () => 0)),
  );
  return each.reduce((sum, bytes) => sum + bytes, 0);
}

async function readStatus(pid: number): Promise<(name: string) => number> {
  const text = await Deno.readTextFile(`/proc/${pid}/status`);
  return (name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1]) * 1024;
}
