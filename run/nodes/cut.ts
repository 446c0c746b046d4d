// The cut: the step of a move between the last change at the source and the first change at the target. Calls of the
// workspace's slot (docs/scale.md) wait only during this step.
import { setTimeout } from "node:timers/promises";
import type { ISql, Sql } from "postgres";
import { StackError } from "../local/stack_error.ts";
import { changePhase, openFence } from "./fence.ts";
import type { Move } from "./moving.ts";
import { waitForChanges } from "./replication.ts";
import { countRows, inReplica, removeRows, rowsOf, type Table } from "./tables.ts";

/** Milliseconds for which the cut waits for earlier calls, and again for writers at the source, before it gives up. */
const MOST_WAIT_MS = 700;
const TRIES = 60;
const PAUSE_MS = 1_000;
/** How long the target may take to apply the last changes. */
const APPLY_MS = 3_000;

/** copyRest may add a row to this table at the target, so its row counts may differ. */
const BACKLOG = "crm.search_backlog";

const BATCH = 10_000;

/** Makes the target the slot's node. Calls wait from the log line "Calls wait" to "Calls go on". */
export async function cut(move: Move): Promise<void> {
  for (let tries = 1;; tries++) {
    if (await tryToCut(move)) return;
    if (tries === TRIES) {
      throw new StackError(
        "Transactions at the proxy or at the source do not end: run the command again, or undo the move with --undo",
      );
    }
    move.log("The cut is tried again, because transactions did not end in time");
    await setTimeout(PAUSE_MS);
  }
}

/** Tries to make the target the slot's node. If that takes too long, lets calls go on at the source; returns false. */
async function tryToCut(move: Move): Promise<boolean> {
  const { slot, source, target, proxies, log } = move;
  // Calls wait for this lock while the slot's row is paused.
  await Promise.all(proxies.map((proxy) => proxy`select pg_advisory_lock(nodes.slot_lock(${slot}))`));
  const start = performance.now();
  const said = (what: string) => log(`${what} (${Math.round(performance.now() - start)} ms)`);
  try {
    log("Calls wait");
    const isQuiet = (await Promise.all(proxies.map((proxy) => pause(proxy, slot)))).every(Boolean);
    if (!isQuiet) return await goOn(move);
    // Adds the counted calls to crm.key_calls while rows can still be written: copyRest copies only the calls' times.
    await source.sql`select crm.drain_calls()`;
    if (!await changePhase(source.sql, slot, "frozen", MOST_WAIT_MS)) return await goOn(move);
    said("Nothing is written at the source any more");
    if (!await waitForChanges(source.sql, slot, APPLY_MS)) return await goOn(move);
    said("All changes are copied");
    await copyRest(move);
    said("The rest is copied");
    await compare(move);
    said("Both nodes have the same number of rows");
    await changeOver(move);
    await openTarget(move);
  } catch (error) {
    // Calls go on at the source, unless the proxy already names the target.
    await goOn(move).catch(() => {});
    throw error;
  } finally {
    await Promise.all(proxies.map((proxy) => proxy`select pg_advisory_unlock(nodes.slot_lock(${slot}))`));
  }
  move.waitedMs = Math.round(performance.now() - start);
  log(`Calls go on at node ${target.number}: they waited ${move.waitedMs} ms at most`);
  return true;
}

/** Pauses the slot, and waits until earlier calls have ended; false if they take too long. */
async function pause(proxy: Sql, slot: string): Promise<boolean> {
  await proxy`update nodes.slots set paused = true where slot = ${slot}`;
  const [{ at }] = await proxy<[{ at: string }]>`select clock_timestamp()::text as at`;
  for (const end = performance.now() + MOST_WAIT_MS; performance.now() < end; await setTimeout(5)) {
    const older = await proxy`
      select from pg_stat_activity a
      where a.usename = 'crm_functions' and a.datname = current_database() and a.xact_start < ${at}::timestamptz
        -- Not a call that waits for an advisory lock: once it has the lock, it reads the slot's row again.
        and not exists (
          select from pg_locks l where l.pid = a.pid and l.locktype = 'advisory' and not l.granted
        )
    `;
    if (older.length === 0) return true;
  }
  return false;
}

/** Lets calls go on at the source, unless the proxy already names the target. Always returns false. */
async function goOn({ slot, ids, tables, source, target, proxies }: Move): Promise<false> {
  const [row] = await proxies[0]!`select node from nodes.slots where slot = ${slot}`;
  if (row!["node"] !== source.number) return false;
  await source.sql`update nodes.fences set phase = 'draining' where slot = ${slot}`;
  await Promise.all(proxies.map((proxy) => changeSlot(proxy, slot, source.number)));
  // Removes the rows that copyRest copied, so that the dispatcher's claims and the jobs at the target do not read them.
  await removeRows(target.sql, tables.filter(({ step }) => step === "cut"), ids);
  return false;
}

/**
 * Copies the tables in which the dispatcher's claims and the jobs look for work. They are last, because the target
 * would process earlier copies. Also copies the rate limits and the position of the job index-texts, which `tables`
 * lacks because their rows name no workspace.
 */
async function copyRest({ tables, ids, source, target }: Move): Promise<void> {
  const late = tables.filter(({ step }) => step === "cut");
  await removeRows(target.sql, late, ids);
  await inReplica(target.sql, async (sql) => {
    for (const table of late) await copyTable(source.sql, sql, table, ids);
    // At the target the job index-texts continues from its position at the source.
    const [progress] = await source.sql`select position::text, reached_at::text from crm.search_progress`;
    await sql`
      insert into crm.search_backlog (workspace_id, position, event_id, reached_at)
      select id, ${progress!["position"]}::bigint, crm.uuid_v7_floor('epoch'), ${
      progress!["reached_at"]
    }::timestamptz
      from unnest(${ids}::uuid[]) id
      on conflict do nothing
    `;
    const limits = await source.sql`
      select r.key_id::text, r.hits::text from crm.rate_limits r join crm.api_keys k on k.id = r.key_id
      where k.workspace_id = any (${ids}::uuid[])
    `;
    await sql`
      insert into crm.rate_limits (key_id, hits)
      select r.key_id::uuid, r.hits::timestamptz[]
      from unnest(
        ${limits.map((row) => row["key_id"])}::text[], ${limits.map((row) => row["hits"])}::text[]
      ) r (key_id, hits)
      on conflict (key_id) do update set hits = excluded.hits
    `;
  });
}

async function copyTable(source: Sql, target: ISql, table: Table, ids: readonly string[]): Promise<void> {
  const columns = table.columns.join(", ");
  const rows = source.unsafe<{ row: string }[]>(
    `select row_to_json(t)::text as row from (select ${columns} from ${table.name} where ${
      rowsOf(table, ids)
    }) t`,
  );
  for await (const part of rows.cursor(BATCH)) {
    await target.unsafe(
      `insert into ${table.name} (${columns})
      select ${columns} from json_populate_recordset(null::${table.name}, $1::text::json)`,
      [`[${part.map(({ row }) => row).join()}]`],
    );
  }
}

/** Checks that each table has the same number of rows at both nodes, and that cursors of the feed stay valid. */
async function compare({ tables, ids, source, target }: Move): Promise<void> {
  const [here, there] = await Promise.all([source, target].map(({ sql }) => countRows(sql, tables, ids)));
  const different = tables.filter((table, i) => here![i] !== there![i] && table.name !== BACKLOG);
  if (different.length > 0) {
    throw new StackError(
      `The nodes have different numbers of rows in ${
        different.map(({ name }) => name).join(", ")
      }: undo the move with --undo`,
    );
  }
  const horizon = async (sql: Sql) => (await sql`select crm.feed_horizon()::text as horizon`)[0]!["horizon"];
  if (BigInt(await horizon(source.sql)) >= BigInt(await horizon(target.sql))) {
    throw new StackError(
      "The positions of the target's feed are not above the source's: undo the move with --undo, and move again",
    );
  }
}

/** Names the target as the slot's node at all proxies. From then on the workspace lives at the target. */
async function changeOver({ slot, target, proxies }: Move): Promise<void> {
  const [first, ...others] = proxies as [Sql, ...Sql[]];
  await first.begin(async (sql) => {
    await changeSlot(sql, slot, target.number);
    await sql`update nodes.moves set step = 'settle' where slot = ${slot}`;
  });
  await Promise.all(others.map((proxy) => changeSlot(proxy, slot, target.number)));
}

/**
 * Deletes the workspaces' own rows at the source, and lets the target write. An app's token names no slot, so the proxy
 * asks each node for the workspace. Without the deletion, the source would still answer.
 */
export async function openTarget({ slot, ids, source, target }: Move): Promise<void> {
  await inReplica(source.sql, (sql) => sql`delete from crm.workspaces where id = any (${ids}::uuid[])`);
  await openFence(target.sql, slot);
}

/** Sets the slot's node at a proxy, and ends the pause. */
export async function changeSlot(proxy: ISql, slot: string, node: number): Promise<void> {
  await proxy`update nodes.slots set node = ${node}, paused = false where slot = ${slot}`;
}
