import { join } from "node:path";
import type { Sql } from "postgres";

/** Of a clock tick in /proc: 100 a second on every Linux. */
const TICK_MS = 10;

/** Milliseconds of processor time of a process, all threads; NaN where it has ended or the system has no /proc. */
export async function cpuOfProcess(pid: number): Promise<number> {
  return (await readStat(pid))?.own ?? NaN;
}

/** The same of a whole Postgres: its backends, those that have ended, and its background processes. */
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
  // The second field is a name in parentheses that may hold anything; from the third on they are numbers by position.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ").map(Number);
  const ms = (index: number) => fields[index]! * TICK_MS;
  return { parent: fields[1]!, own: ms(11) + ms(12), endedChildren: ms(13) + ms(14) };
}

/**
 * Bytes that a process has in memory, and the most that it has had.
 * @throws Error where it has ended, or the system has no /proc
 */
export async function memoryOfProcess(pid: number): Promise<{ now: number; peak: number }> {
  const bytes = await readStatus(pid);
  return { now: bytes("VmRSS"), peak: bytes("VmHWM") };
}

/** Bytes that the processes of Postgres have to themselves, its shared buffers left out. */
export async function memoryOfPostgres(sql: Sql): Promise<number> {
  const rows = await sql<{ pid: number }[]>`select pid from pg_stat_activity`;
  // A backend that has ended since has none.
  const each = await Promise.all(
    rows.map(({ pid }) => readStatus(pid).then((bytes) => bytes("RssAnon"), () => 0)),
  );
  return each.reduce((total, bytes) => total + bytes, 0);
}

async function readStatus(pid: number): Promise<(name: string) => number> {
  const text = await Deno.readTextFile(`/proc/${pid}/status`);
  return (name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1]) * 1024;
}
