import { atMost, count, type Measurement, percentile, ratio, sum, waitRatio } from "../harness/figures.ts";
import type { Server } from "../harness/functions.ts";
import type { Conditions, Subject } from "../harness/run_subjects.ts";
import { cpuOfProcess, memoryOfProcess } from "../harness/usage.ts";
import { pause } from "../harness/waiting.ts";
import type { LoadPlan, LoadResult } from "../performance/load/generator_process.ts";
import { type PlannedRequest, sendOnce } from "../performance/load/template.ts";
import type { LoadWorkspace } from "../performance/load/workspaces.ts";
import { openLoadWorld, startGenerator } from "../performance/load/world.ts";

/** An attack, and the limits of what it may cost others. */
export interface Attack {
  /** The argument that selects it. */
  name: string;
  title: string;
  /** The attack gets its own database, because its rows would affect other attacks. */
  alone?: true;
  /** Prepares the database, and returns what to send. */
  plan(world: AttackWorld, conditions: Conditions): Case[] | Promise<Case[]>;
}

export interface Case {
  /** The start of the names of its figures. */
  label: string;
  order: Omit<LoadPlan, "baseUrl" | "seconds" | "attack"> & LoadPlan["attack"];
  /** The environment of the process that is attacked. */
  env?: Record<string, string>;
  /** The attack uses keys or sessions of one workspace, while people work in another one. */
  within?: true;
  /** Requests that are sent before the attack, one after the other. */
  known?: PlannedRequest[];
  /** The most that is allowed: costs and waits as multiples of the quiet values, `lasts` in seconds. */
  targets: { cost?: number; p50?: number; p90?: number; memoryMb?: number; lasts?: number };
  /** Words for the figures' names in place of the usual ones. */
  names?: { wait: string; failed: string };
  /** False: failed calls are not a figure. */
  failures?: false;
  /** Measures further figures. */
  further?(server: Server): Promise<Measurement[]>;
}

/** A process with as many connections as an isolate has where the service is hosted. */
export const ISOLATE = { DATABASE_POOL_SIZE: "4" };

export const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));
export const withKey = (key: string) => ({ "X-API-Key": key });
export const get = (path: string, headers: Record<string, string> = {}): PlannedRequest => ({
  method: "GET",
  path,
  headers,
});
export const post = (path: string, body: unknown, headers: Record<string, string> = {}): PlannedRequest => ({
  method: "POST",
  path,
  headers,
  body,
});
/** The keys of the attacker's workspace. */
export const keysOf = ({ workspaces }: AttackWorld) => workspaces[1]!.keys;

/** What an attack did to a legitimate client, and to the process. */
interface Harm {
  quiet: Waits;
  attacked: Waits;
  /** Processor time for a request of the attack, as a multiple of that for a read when there is no attack. */
  cost: number;
  /** Peak of the resident memory of the process that serves the functions. */
  memoryMb: number;
  flood: LoadResult;
}

/** The first workspace is the victim's; an attacker with keys has the second. */
const SIZES = { workspaces: 2, keysEach: 60, contactsEach: 60 };

/** The lowest priority that Unix has. */
const LOWEST_PRIORITY = 19;

export type AttackWorld = Awaited<ReturnType<typeof openAttackWorld>>;

/** Starts a Postgres with two workspaces, and an attacker. */
async function openAttackWorld() {
  const world = await openLoadWorld(SIZES);
  // An attacker does not use the processors of the service.
  const attacker = startGenerator(LOWEST_PRIORITY);
  return {
    ...world,
    /** Attacks for some seconds. */
    flood: ({ pauseMs, bytesPerSecond, ...order }: Case["order"], baseUrl: string, seconds: number) =>
      attacker.send({
        ...order,
        baseUrl,
        seconds,
        attack: {
          ...(pauseMs !== undefined && { pauseMs }),
          ...(bytesPerSecond !== undefined && { bytesPerSecond }),
        },
      }),
    async [Symbol.asyncDispose]() {
      await attacker[Symbol.asyncDispose]();
      await world[Symbol.asyncDispose]();
    },
  };
}

/** The database that all attacks share, except those that are `alone`. */
let shared: Promise<AttackWorld> | undefined;

export async function closeSharedWorld(): Promise<void> {
  await (await shared)?.[Symbol.asyncDispose]();
}

/** Makes a subject of the bench from an attack: each case is sent to a new process. */
export function subjectOf({ name, title, alone, plan }: Attack): Subject {
  const measure = async (world: AttackWorld, conditions: Conditions) => {
    const measurements: Measurement[] = [];
    for (const one of await plan(world, conditions)) {
      conditions.note(one.label);
      await using server = await world.serve(one.env ?? {});
      const harm = await attack(world, server, one, conditions);
      measurements.push(...await one.further?.(server) ?? [], ...figuresOf(one, harm));
    }
    return measurements;
  };
  return {
    name,
    title,
    async measure(conditions) {
      if (!alone) return await measure(await (shared ??= openAttackWorld()), conditions);
      await using world = await openAttackWorld();
      return await measure(world, conditions);
    },
  };
}

/** Compares the waits of a legitimate client before an attack and during it. */
async function attack(
  { workspaces, send, flood: sendFlood }: AttackWorld,
  { baseUrl, pid }: Server,
  { order, within, known = [] }: Case,
  { short, note }: Conditions,
): Promise<Harm> {
  const seconds = within ? (short ? 6 : 20) : short ? 1.5 : 10;
  /** How long the attack runs before the victim's waits count. */
  const warmUp = short ? 1 : 2;
  const plan = { baseUrl, ...(within ? workOfPeople(workspaces[0]!) : readsOfClient(workspaces[0]!)) };
  const work = async (seconds: number) => waitsOf(await send({ ...plan, seconds }));
  for (const request of known) await sendOnce(baseUrl, request, 0);
  // The first requests load and compile what they need.
  await work(1);
  const started = await cpuOfProcess(pid);
  const quiet = await work(seconds);
  const quieted = await cpuOfProcess(pid);
  const flooding = sendFlood(order, baseUrl, seconds + warmUp);
  await pause(warmUp * 1000);
  const attacked = await work(seconds);
  const flood = await flooding;
  const ofRead = (quieted - started) / quiet.calls;
  const answered = sum(Object.values(flood.statuses)) + flood.unanswered;
  const cost = (await cpuOfProcess(pid) - quieted - attacked.calls * ofRead) / answered / ofRead;
  // A server may keep connections waiting or close them later. But if all fail at once, there was no attack.
  if (Object.keys(flood.statuses).length === 0 && flood.longestSeconds < 1) {
    throw new Error(`No request was sent: ${flood.example}`);
  }
  const memoryMb = Math.round((await memoryOfProcess(pid)).peak / 2 ** 20);
  note(`quiet: ${describeWaits(quiet)}; attacked: ${describeWaits(attacked)}; memory ${memoryMb} MB at most`);
  note(`a request of the attack takes ${cost.toFixed(1)} times the processor time of a read`);
  const example = flood.example === null ? "" : ` (${flood.example})`;
  note(
    `answers to the attack by status: ${
      JSON.stringify(flood.statuses)
    }, ${flood.unanswered} without${example}`,
  );
  return { quiet, attacked, cost, memoryMb, flood };
}

/** Reads contacts, some 80 a second, with all keys in turn so that none reaches its rate limit. */
function readsOfClient({ keys, contactIds }: LoadWorkspace): Omit<LoadPlan, "baseUrl" | "seconds"> {
  const requests = keys.map((key, n) => contactOf("GET", key, contactIds[n % contactIds.length]!));
  return { connections: 2, requests, attack: { pauseMs: 20 } };
}

/** What people do: two reads and a change of a contact each second, whether or not the earlier calls are answered. */
function workOfPeople({ keys, contactIds }: LoadWorkspace): Omit<LoadPlan, "baseUrl" | "seconds"> {
  const requests = keys.map((key, n) =>
    contactOf(n % 3 === 2 ? "PATCH" : "GET", key, contactIds[n % contactIds.length]!)
  );
  return { connections: 64, requests, rate: 3, attack: {} };
}

function contactOf(method: "GET" | "PATCH", key: string, id: string): PlannedRequest {
  const body = method === "PATCH" ? { body: { job_title: "Diretora {n}" } } : {};
  return { method, path: `/api-v1-contacts/${id}`, headers: { "X-API-Key": key }, expect: 200, ...body };
}

/** Milliseconds that a legitimate client waits, and how many of its calls were not answered with 200. */
interface Waits {
  p50: number;
  p90: number;
  calls: number;
  failed: number;
}

function waitsOf({ latencies, unexpected, unanswered }: LoadResult): Waits {
  const waits = latencies.flat();
  return {
    p50: percentile(waits, 0.5),
    p90: percentile(waits, 0.9),
    calls: waits.length + unanswered,
    failed: unexpected + unanswered,
  };
}

function describeWaits({ p50, p90, failed }: Waits): string {
  return `p50 ${p50.toFixed(1)} ms, p90 ${p90.toFixed(1)} ms${failed > 0 ? `, ${failed} calls failed` : ""}`;
}

function figuresOf({ label, targets, within, names, failures }: Case, harm: Harm): Measurement[] {
  const { quiet, attacked, cost, memoryMb, flood } = harm;
  const { wait, failed } = names ??
    (within
      ? { wait: "another workspace's", failed: "its calls that failed" }
      : { wait: "a read's", failed: "reads that failed" });
  const measurements: Measurement[] = [];
  // Systems without /proc do not show processor times.
  if (targets.cost && !Number.isNaN(cost)) {
    measurements.push(ratio(`${label}: processor time of one ÷ that of a read`, cost, "lower", targets.cost));
  }
  for (const share of ["p50", "p90"] as const) {
    const target = targets[share];
    if (!target) continue;
    measurements.push(
      waitRatio(`${label}: ${wait} ${share} ÷ its quiet value`, attacked[share] / quiet[share], target),
    );
  }
  if (failures !== false) {
    measurements.push(count(`${label}: ${failed}`, attacked.failed, within ? "calls" : "reads"));
  }
  if (targets.memoryMb) {
    measurements.push(atMost(`${label}: memory of the process`, memoryMb, "MB", targets.memoryMb));
  }
  if (targets.lasts) {
    const longest = Math.round(flood.longestSeconds * 10) / 10;
    measurements.push(atMost(`${label}: how long one lasts`, longest, "s", targets.lasts));
  }
  return measurements;
}

/** Gives each of these contacts in the attacker's workspace `each` deals. */
export async function insertDeals(
  { sql, workspaces }: AttackWorld,
  contactIds: string[],
  each: number,
): Promise<void> {
  const { id } = workspaces[1]!;
  await sql`alter table crm.deals disable trigger user`;
  await sql`
    insert into crm.deals (workspace_id, title, value, contact_id, owner_id, pipeline_id, stage_id)
    select d.workspace_id, d.title, 1500, c.id, d.owner_id, d.pipeline_id, d.stage_id
    from (select * from crm.deals where workspace_id = ${id} limit 1) d,
      unnest(${contactIds}::uuid[]) c (id), generate_series(1, ${each}::int)`;
  await sql`alter table crm.deals enable trigger user`;
  await sql`vacuum analyze crm.deals`;
}

/** Inserts 200 contacts with 10,000 characters that take six bytes each in JSON, and 10 KB of custom fields (spec 2.1). */
export async function insertLargestContacts({ sql, workspaces }: AttackWorld): Promise<void> {
  const { id, memberId } = workspaces[1]!;
  await sql`
    insert into crm.contacts (workspace_id, name, owner_id, notes, custom_fields)
    select ${id}, 'Ana ' || n, ${memberId}, repeat(chr(1), 10000), jsonb_build_object('texto', repeat('x', 10000))
    from generate_series(1, 200) n`;
}

/** * Inserts activities created 30 seconds apart, beginning 400 days ago, each due when it is created.
 * @returns a `due_before` that only the oldest third matches: a list, newest first, skips two thirds before its first
 */
export async function insertActivities(
  { sql, workspaces }: AttackWorld,
  activities: number,
): Promise<string> {
  const first = new Date(Date.now() - 400 * 86_400_000);
  const secondsApart = 30;
  await sql`alter table crm.activities disable trigger user`;
  await sql`
    insert into crm.activities (
      workspace_id, id, deal_id, title, type, due_at, owner_id, created_by_id, created_at, updated_at
    )
    select d.workspace_id, crm.uuid_v7(made.at), d.id, 'Ligar', 'ligacao',
      made.at, d.owner_id, d.owner_id, made.at, made.at
    from (select * from crm.deals where workspace_id = ${workspaces[1]!.id} limit 1) d,
      generate_series(1, ${activities}::int) n,
      lateral (select ${first}::timestamptz + n * ${secondsApart}::int * interval '1 s' as at) made`;
  await sql`alter table crm.activities enable trigger user`;
  await sql`vacuum analyze crm.activities`;
  return new Date(first.getTime() + activities / 3 * secondsApart * 1000).toISOString();
}
