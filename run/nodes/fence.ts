// The fence: triggers that keep jobs and late calls from writing rows of a moving slot (move_node.sql).
import { setTimeout } from "node:timers/promises";
import postgres, { type ISql, type Sql } from "postgres";
import { rowsOf, type Table } from "./tables.ts";

/** Which writes to a slot's rows are allowed (nodes.fences). */
export type Phase = "open" | "draining" | "frozen";

/** The trigger's name, with which the fence runs first: a table's triggers run in the order of their names. */
const trigger = (slot: string) => `"aa_fence_${slot}"`;

/** How long a statement waits for a table's lock before a retry: short, because requests wait behind it. */
const LOCK_TIMEOUT_MS = 200;
const TRIES = 150;
const PAUSE_MS = 100;

/** Stores the phase if the slot has none, and adds the triggers to each table that lacks them. */
export async function buildFence(
  sql: Sql,
  slot: string,
  tables: Table[],
  ids: readonly string[],
  phase: Phase,
) {
  await sql`insert into nodes.fences (slot, phase) values (${slot}, ${phase}) on conflict do nothing`;
  for (const table of tables) {
    const rows = (name: string) => rowsOf({ ...table, column: `${name}.${table.column}` }, ids);
    await withLock(sql, async (sql) => {
      const [{ found }] = await sql<[{ found: boolean }]>`
        select exists (
          select from pg_trigger where tgrelid = ${table.name}::regclass and tgname = ${`aa_fence_${slot}`}
        ) as found
      `;
      if (found) return;
      await sql.unsafe(`
        create trigger ${trigger(slot)} before insert or update on ${table.name} for each row
          when (${rows("new")}) execute function nodes.fence('${slot}');
        create trigger "aa_fence_${slot}_deleted" before delete on ${table.name} for each row
          when (${rows("old")}) execute function nodes.fence('${slot}')
      `);
    });
  }
}

/** Removes the fence, so that all rows may be written again. */
export async function removeFence(sql: Sql, slot: string, tables: Table[]): Promise<void> {
  await openFence(sql, slot);
  for (const table of tables) {
    await withLock(sql, (sql) =>
      sql.unsafe(`
        drop trigger if exists ${trigger(slot)} on ${table.name};
        drop trigger if exists "aa_fence_${slot}_deleted" on ${table.name}
      `));
  }
}

/** Lets all rows be written again. The triggers stay, and do nothing. */
export async function openFence(sql: Sql, slot: string): Promise<void> {
  await sql`delete from nodes.fences where slot = ${slot}`;
}

/**
 * Changes the phase when every transaction that wrote rows of the slot has ended. Returns false if that takes longer
 * than `mostMs`. Meanwhile further writes to rows of the slot wait.
 */
export async function changePhase(sql: Sql, slot: string, phase: Phase, mostMs: number): Promise<boolean> {
  try {
    await sql.begin(async (sql) => {
      await sql`select set_config('lock_timeout', ${`${mostMs}ms`}, true)`;
      await sql`select pg_advisory_xact_lock(nodes.fence_lock(${slot}))`;
      await sql`update nodes.fences set phase = ${phase} where slot = ${slot}`;
    });
    return true;
  } catch (error) {
    if (isLockTimeout(error)) return false;
    throw error;
  }
}

/** Runs a transaction that locks a table. Repeats it while others hold the table's lock. */
export async function withLock(sql: Sql, work: (sql: ISql) => Promise<unknown>): Promise<void> {
  await repeat(async () => {
    try {
      await sql.begin(async (sql) => {
        await sql.unsafe(`set local lock_timeout = '${LOCK_TIMEOUT_MS}ms'`);
        await work(sql);
      });
      return null;
    } catch (error) {
      if (isLockTimeout(error)) return error;
      throw error;
    }
  });
}

/** Repeats `attempt` while it returns an error, with pauses. After TRIES attempts it throws the error. */
export async function repeat(attempt: () => Promise<unknown>): Promise<void> {
  for (let tries = 1;; tries++) {
    const error = await attempt();
    if (error === null) return;
    if (tries === TRIES) throw error;
    await setTimeout(PAUSE_MS);
  }
}

export function isLockTimeout(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === "55P03";
}
