import { join } from "node:path";
import type { Sql } from "postgres";
import { sum } from "./figures.ts";

const TICK_MS = 10;

/** Milliseconds of processor time of a process, all threads; NaN if it has ended or the system has no /proc. */
export async function cpuOfProcess(pid: number): Promise<number> {
  return (await readStat(pid))?.own ?? NaN;
}

/** Milliseconds of processor time of a whole Postgres, including background processes and backends that have ended. */
export async function cpuOfPostgres(dataDir: string): Promise<number> {
  const postmaster = parseInt(await Deno.readTextFile(join(dataDir, "postgres", "postmaster.pid")));
  const stat = await readStat(postmaster);
  if (!stat) return NaN;
  let ms = stat.own + stat.endedChildren;
  for await (const { name } of Deno.readDir("/proc")) {
    const other = /^\d+$/.test(name) ? await readStat(Number(name)) : null;
    if (other?.parent === postmaster) ms += other.own;
  }
  return ms;
}

async function readStat(pid: number) {
  const text = await Deno.readTextFile(`/proc/${pid}/stat`).catch(() => null);
  if (text === null) return null;
  // The second field, a name in parentheses, may have spaces, so only what follows the last parenthesis is split.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ").map(Number);
  const ms = (index: number) => fields[index]! * TICK_MS;
  return { parent: fields[1]!, own: ms(11) + ms(12), endedChildren: ms(13) + ms(14) };
}

/**
 * Resident bytes of a process, and their peak.
 * @throws Error if it has ended, or the system has no /proc
 */
export async function memoryOfProcess(pid: number): Promise<{ now: number; peak: number }> {
  const bytes = await readStatus(pid);
  return { now: bytes("VmRSS"), peak: bytes("VmHWM") };
}

/** Bytes of the processes of Postgres, without its shared buffers. */
export async function memoryOfPostgres(sql: Sql): Promise<number> {
  const rows = await sql<{ pid: number }[]>`select pid from pg_stat_activity`;
  // A backend may have ended since the query.
  return sum(
    await Promise.all(
      rows.map(({ pid }) => readStatus(pid).then((bytes) => bytes("RssAnon"), () => 0)),
    ),
  );
}

async function readStatus(pid: number): Promise<(name: string) => number> {
  const text = await Deno.readTextFile(`/proc/${pid}/status`);
  return (name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1]) * 1024;
}
