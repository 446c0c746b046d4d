// Copies a slot's rows by logical replication: a publication with row filters at the source, and a subscription at the
// target.
import { setTimeout } from "node:timers/promises";
import type { Sql } from "postgres";
import { StackError } from "../local/stack_error.ts";
import { slotInHex } from "../../supabase/functions/_shared/contract/credentials.ts";
import type { Move } from "./moving.ts";
import { quoteLiteral } from "./install.ts";
import { rowsOf, type Table } from "./tables.ts";

/** Milliseconds between two checks of the changes; whether tables are copied is checked a fifth as often. */
const POLL_MS = 10;

/** The number of errors after which the move fails. Until then Postgres repeats a failed copy every 5 seconds. */
const MOST_ERRORS = 3;

/** The name of the publication, the subscription and the replication slot, which must not have capital letters. */
function replicationName(slot: string): string {
  return `crm_move_${slotInHex(slot)}`;
}

/** Starts copying the rows, unless an earlier run of the command has started it. */
export async function startCopy(move: Move): Promise<void> {
  const { slot, source, target } = move;
  const name = replicationName(slot);
  if (await hasSubscription(target.sql, name)) return;
  await endCopy(move);
  await source.sql.unsafe(
    `create publication ${name} for table ${filtered(move, "copy")} with (publish_via_partition_root = true)`,
  );
  const address = await quoteLiteral(target.sql, source.url);
  await target.sql.unsafe(`create subscription ${name} connection ${address} publication ${name}`);
}

/** Also copies the tables of the step `drain`. Call it when no delivery is claimed any more. */
export async function copyDrained(move: Move): Promise<void> {
  const name = replicationName(move.slot);
  const both = [filtered(move, "copy"), filtered(move, "drain")].join(", ");
  await move.source.sql.unsafe(`alter publication ${name} set table ${both}`);
  await move.target.sql.unsafe(`alter subscription ${name} refresh publication`);
  await waitForCopy(move);
}

function filtered({ tables, ids }: Move, step: Table["step"]): string {
  return tables.filter((table) => table.step === step)
    .map((table) => `${table.name} where (${rowsOf(table, ids)})`).join(", ");
}

/** Waits until all tables are copied, with all changes so far. */
export async function waitForCopy({ slot, source, target }: Move): Promise<void> {
  const name = replicationName(slot);
  for (;;) {
    const [{ left, errors }] = await target.sql<[{ left: number; errors: number }]>`
      select
        (
          select count(*)::integer from pg_subscription_rel r
          where r.srsubid = s.oid and r.srsubstate <> 'r'
        ) as left,
        (
          select (t.apply_error_count + t.sync_error_count)::integer from pg_stat_subscription_stats t
          where t.subid = s.oid
        ) as errors
      from pg_subscription s where s.subname = ${name}
    `;
    if (left === 0) break;
    if (errors >= MOST_ERRORS) {
      throw new StackError(
        "The rows cannot be copied: the log of the target node says why. Undo the move with --undo",
      );
    }
    await setTimeout(5 * POLL_MS);
  }
  await waitForChanges(source.sql, slot, Infinity);
}

/** Waits until the target has everything that the source has committed before this call; false after `mostMs`. */
export async function waitForChanges(source: Sql, slot: string, mostMs: number): Promise<boolean> {
  const name = replicationName(slot);
  // The commit of this message flushes the write-ahead log, so that the source sends everything before the message.
  const [{ place }] = await source<[{ place: string }]>`
    select pg_logical_emit_message(true, 'crm_move', ${slot})::text as place
  `;
  for (const end = performance.now() + mostMs; performance.now() < end; await setTimeout(POLL_MS)) {
    const [row] = await source<[{ reached: boolean }?]>`
      select confirmed_flush_lsn >= ${place}::pg_lsn as reached from pg_replication_slots where slot_name = ${name}
    `;
    if (row === undefined) {
      throw new StackError("The replication slot of the move no longer exists: undo the move with --undo");
    }
    if (row.reached) return true;
  }
  return false;
}

/** Removes the subscription, the publication and the replication slot, if they exist. */
export async function endCopy({ slot, source: { sql: source }, target }: Move): Promise<void> {
  const name = replicationName(slot);
  if (await hasSubscription(target.sql, name)) await target.sql.unsafe(`drop subscription ${name}`);
  // Empty the publication first. Dropping a publication that has tables makes some simultaneous writes to these tables
  // fail ("cache lookup failed for publication").
  const [{ names }] = await source<[{ names: string | null }]>`
    select string_agg(r.prrelid::regclass::text, ', ') as names
    from pg_publication_rel r join pg_publication p on p.oid = r.prpubid where p.pubname = ${name}
  `;
  if (names !== null) await source.unsafe(`alter publication ${name} drop table ${names}`);
  await source.unsafe(`drop publication if exists ${name}`);
  // The slot is left behind if the command was killed while it created the subscription.
  await source`select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = ${name}`;
}

async function hasSubscription(target: Sql, name: string): Promise<boolean> {
  return (await target`select from pg_subscription where subname = ${name}`).length > 0;
}
