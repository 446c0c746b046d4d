import { join } from "node:path";

/** Of a clock tick in /proc: 100 a second on every Linux. */
const TICK_MS = 10;

/** Milliseconds of processor time of a process, all threads; null where the system has no /proc. */
export async function cpuOfProcess(pid: number): Promise<number | null> {
  return (await readStat(pid))?.own ?? null;
}

/** The same of a whole Postgres: its backends, those that have ended, and its background processes. */
export async function cpuOfPostgres(dataDir: string): Promise<number | null> {
  const postmaster = parseInt(await Deno.readTextFile(join(dataDir, "postgres", "postmaster.pid")));
  const stat = await readStat(postmaster);
  if (!stat) return null;
  let sum = stat.own + stat.endedChildren;
  for await (const { name } of Deno.readDir("/proc")) {
    const other = /^\d+$/.test(name) ? await readStat(Number(name)) : null;
    if (other?.parent === postmaster) sum += other.own;
  }
  return sum;
}

async function readStat(pid: number) {
  const text = await Deno.readTextFile(`/proc/${pid}/stat`).catch(() => null);
  if (text === null) return null;
  // The second field is a name in parentheses that may hold anything; from the third on they are numbers by position.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ").map(Number) as number[];
  const ticks = (index: number) => fields[index]! * TICK_MS;
  return {
    parent: fields[1]!,
    own: ticks(11) + ticks(12),
    endedChildren: ticks(13) + ticks(14),
  };
}
