// Moves a workspace from one database to another while clients call it. docs/scale.md says what waits and how long.
import { setTimeout } from "node:timers/promises";
import type { Sql } from "postgres";
import { StackError } from "../local/stack_error.ts";
import { slotOf } from "../../supabase/functions/_shared/contract/credentials.ts";
import { changeSlot, cut, openTarget } from "./cut.ts";
import { buildFence, changePhase, isLockTimeout, openFence, removeFence, withLock } from "./fence.ts";
import { checkMove } from "./move_checks.ts";
import type { Move, Side } from "./moving.ts";
import { openAt, operatorUrl } from "./nodes.ts";
import { makePartitions } from "./partitions.ts";
import { openProxy, otherProxies } from "./proxies.ts";
import { rememberCredentials } from "./registering.ts";
import { copyDrained, endCopy, startCopy, waitForCopy } from "./replication.ts";
import { countRows, findTables, removeRows, type Table } from "./tables.ts";

export interface MoveRequest {
  workspaceId: string;
  /** The number of the target node; undefined to continue a move. */
  to: number | undefined;
  undo: boolean;
  log: (what: string) => void;
}

export interface Moved {
  workspace_ids: string[];
  /** The node where they live now. */
  node: number;
  /** How long calls waited, in milliseconds; null if they waited in an earlier run of the command. */
  waited_ms: number | null;
  /** How long each step took, in milliseconds. */
  steps: Record<string, number>;
}

/** The row of a move in nodes.moves. */
interface Row {
  slot: string;
  workspace_ids: string[];
  source: number;
  target: number;
  step: Step | "undo";
}

/** The application_name of a move's connections. */
const MOVE = "crm-move";
/** How long a move waits for the leases of claimed deliveries, which end after 60 seconds. */
const LEASES_MS = 65_000;
/** How long a command waits for the last statement of a killed command. */
const TAKE_OVER = "30s";
/** By how many positions the target's feed is put ahead of the source's: more than a move has transactions. */
const FEED_AHEAD = 1_000_000_000n;

/** The steps of a move, in order. Each step can be repeated from its beginning. */
const STEPS = {
  /** Copies the rows, while calls and jobs go on at the source. */
  copy: async (move: Move) => {
    const { slot, ids, source, target, tables, proxies } = move;
    await buildFence(target.sql, slot, tables, ids, "frozen");
    await buildFence(source.sql, slot, tables, ids, "open");
    await startCopy(move);
    await waitForCopy(move);
    if (source.number === 0) await rememberCredentials(proxies, source.sql, ids);
    if (target.number > 0) await copyPeople(move);
    const [{ horizon }] = await source.sql<[{ horizon: string }]>`select crm.feed_horizon()::text as horizon`;
    const above = (BigInt(horizon) + FEED_AHEAD).toString();
    await withLock(target.sql, (sql) => sql`select nodes.raise_feed(${above}::bigint)`);
  },
  /** Stops the dispatcher's claims, waits for the deliveries that are being sent, and copies the queue. */
  drain: async (move: Move) => {
    const { slot, ids, source } = move;
    while (!await changePhase(source.sql, slot, "draining", 500)) await setTimeout(500);
    for (const end = performance.now() + LEASES_MS; performance.now() < end; await setTimeout(50)) {
      const leased = await source.sql`
        select from crm.webhook_queue q
        where q.workspace_id = any (${ids}::uuid[]) and q.state = 'leased' and q.lease_until > now() limit 1
      `;
      if (leased.length === 0) break;
    }
    await copyDrained(move);
  },
  cut,
  /** Ends the copy. The workspace lives at the target already. */
  settle: async (move: Move) => {
    const { slot, target, tables, proxies } = move;
    await Promise.all(proxies.map((proxy) => changeSlot(proxy, slot, target.number)));
    await openTarget(move);
    await endCopy(move);
    await removeFence(target.sql, slot, tables);
  },
  /** Removes the rows from the source. */
  remove: ({ slot, ids, source, tables }: Move) => leave(source, slot, tables, ids),
} as const satisfies Record<string, (move: Move) => Promise<void>>;

type Step = keyof typeof STEPS;

/**
 * Moves a workspace, continues an interrupted move from the beginning of its last step, or undoes a move.
 * @param proxy the operator's connection to a proxy
 * @throws StackError if the workspace cannot be moved.
 */
export async function moveWorkspace(proxy: Sql, request: MoveRequest): Promise<Moved> {
  const slot = slotOf(request.workspaceId);
  const [row] = await proxy<Row[]>`select * from nodes.moves where slot = ${slot}`;
  if (request.undo && row === undefined) {
    throw new StackError("The workspace is not moving: there is nothing to undo");
  }
  if (row?.step === "undo" && !request.undo) {
    throw new StackError("The move is being undone: repeat the command with --undo until it ends");
  }
  if (row !== undefined && request.to !== undefined && request.to !== row.target) {
    throw new StackError(
      `The workspace is already moving to node ${row.target}: continue with --to ${row.target}, or undo with --undo`,
    );
  }
  const begun = row ?? await newRow(proxy, slot, request);
  const isUndone = request.undo && ["copy", "drain", "cut", "undo"].includes(begun.step);
  const moved = await takeSteps(proxy, begun, { ...request, undo: isUndone }, row === undefined);
  if (!request.undo || isUndone) return moved;
  request.log("The workspace already lives at the other node: moving it back");
  return await moveWorkspace(proxy, { ...request, to: begun.source, undo: false });
}

/** Takes the remaining steps, or undoes the steps that were taken. */
async function takeSteps(
  proxy: Sql,
  row: Row,
  { undo, log }: MoveRequest,
  isNew: boolean,
): Promise<Moved> {
  await using move = await openMove(proxy, row, log);
  if (isNew) await begin(move);
  const steps: Record<string, number> = {};
  const names = Object.keys(STEPS) as Step[];
  const left = undo ? ["undo" as const] : names.slice(names.indexOf(row.step as Step));
  for (const name of left) {
    const start = performance.now();
    await proxy`update nodes.moves set step = ${name} where slot = ${move.slot}`;
    log(`Step: ${name}`);
    await (name === "undo" ? undoSteps(move) : STEPS[name](move));
    steps[name] = Math.round(performance.now() - start);
  }
  await proxy`delete from nodes.moves where slot = ${move.slot}`;
  return { workspace_ids: move.ids, node: undo ? row.source : row.target, waited_ms: move.waitedMs, steps };
}

/** The row of a move that has not begun. */
async function newRow(proxy: Sql, slot: string, { workspaceId, to }: MoveRequest): Promise<Row> {
  const [found] = await proxy<{ node: number }[]>`select node from nodes.slots where slot = ${slot}`;
  if (found === undefined) {
    throw new StackError(`No node has the workspace ${workspaceId}: see \`deno task crm workspace list\``);
  }
  if (to === undefined) throw new StackError("Name the node to which the workspace moves: --to <node>");
  if (to === found.node) throw new StackError(`The workspace already lives at node ${to}`);
  return {
    slot,
    workspace_ids: [workspaceId],
    source: found.node,
    target: to,
    step: "copy",
  };
}

/** Checks that the move can be made, and records it in nodes.moves. */
async function begin(move: Move): Promise<void> {
  const { slot, source, target, proxies } = move;
  const found = await source.sql<{ id: string }[]>`select id from crm.workspaces order by id`;
  move.ids = found.map(({ id }) => id).filter((id) => slotOf(id) === slot);
  await checkMove(move);
  await makePartitions(source.sql, target.sql, move.tables);
  await proxies[0]!`
    insert into nodes.moves (slot, workspace_ids, source, target, step)
    values (${slot}, ${move.ids}::uuid[], ${source.number}, ${target.number}, 'copy')
  `;
}

/** Opens the connections of a move. The sessions at both nodes lock the slot, so that no other command moves it. */
async function openMove(proxy: Sql, row: Row, log: Move["log"]): Promise<Move & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const side = async (number: number): Promise<Side> => {
    const url = await operatorUrl(proxy, number);
    return { number, url, sql: stack.use(await openAt(url, MOVE)) };
  };
  const [source, target] = [await side(row.source), await side(row.target)];
  const text = await Deno.readTextFile(new URL("move_node.sql", import.meta.url));
  for (const { sql } of [source, target]) {
    // Waits for the lock, which the last statement of a killed command may still hold.
    await sql.unsafe(`set lock_timeout = '${TAKE_OVER}'`);
    try {
      await sql`select pg_advisory_lock(hashtextextended(${row.slot}, 7403))`;
    } catch (error) {
      if (isLockTimeout(error)) {
        throw new StackError("Another command is moving this workspace: wait until it ends");
      }
      throw error;
    }
    await sql.unsafe("set lock_timeout = 0");
    await sql.unsafe(text);
  }
  const tables = await findTables(source.sql);
  // Each other proxy gets one connection, whose session holds the slot's lock during the cut.
  const proxies = [proxy];
  for (const url of await otherProxies(proxy)) proxies.push(stack.use(await openProxy(url, MOVE)));
  const owned = stack.move();
  return {
    slot: row.slot,
    ids: row.workspace_ids,
    source,
    target,
    tables,
    proxies,
    log,
    waitedMs: null,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Copies the members' sign-in data to the target. Otherwise the target would treat these people as deleted. */
async function copyPeople({ ids, source, target, proxies }: Move): Promise<void> {
  const people = await source.sql<{ user_id: string }[]>`
    select distinct m.user_id from crm.members m where m.workspace_id = any (${ids}::uuid[]) and m.user_id is not null
  `;
  for (const { user_id } of people) {
    const [row] = await proxies[0]!<[{ person: string }]>`select nodes.person_at(${user_id})::text as person`;
    await target.sql`select nodes.take_person(${user_id}, ${row.person}::text::jsonb)`;
  }
}

/** Brings everything back to where it was before the move. */
async function undoSteps(move: Move): Promise<void> {
  const { slot, ids, source, target, tables, proxies } = move;
  await openFence(source.sql, slot);
  await Promise.all(proxies.map((proxy) => changeSlot(proxy, slot, source.number)));
  await endCopy(move);
  await leave(target, slot, tables, ids);
  await removeFence(source.sql, slot, tables);
  if (source.number > 0) return;
  await Promise.all(proxies.map((proxy) => proxy`delete from nodes.old_credentials where slot = ${slot}`));
}

/** Removes the workspaces' rows and the fence from a node. */
async function leave(
  { sql, number }: Side,
  slot: string,
  tables: Table[],
  ids: readonly string[],
): Promise<void> {
  await removeRows(sql, tables, ids);
  const left = (await countRows(sql, tables, ids)).reduce((sum, count) => sum + count, 0);
  if (left > 0) {
    throw new StackError(`Node ${number} still has ${left} rows of the workspace: run the command again`);
  }
  await removeFence(sql, slot, tables);
}
