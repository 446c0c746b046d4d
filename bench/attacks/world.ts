import { atMost, count, type Measurement, ratio, sum, waitRatio } from "../harness/figures.ts";
import { cpuOfProcess, memoryOfProcess } from "../harness/usage.ts";
import { pause } from "../harness/waiting.ts";
import type { Server } from "../harness/functions.ts";
import type { Conditions } from "../harness/subject.ts";
import { type LoadWorld, openLoadWorld } from "../performance/load/world.ts";
import { type Flood, type FloodResult, startAttacker } from "./flood.ts";
import { type Client, describeWaits, readAsClient, type Waits, workAsPeople } from "./victim.ts";

/** The first workspace is the victim's; an attacker with keys has the second. */
const SIZES = { workspaces: 2, keysEach: 60, contactsEach: 60 };
/** How long an attack runs before the victim's waits count. */
const WARM_UP_SECONDS = 2;

/** The result of an attack: what it did to a legitimate client, and to the process. */
interface Harm {
  quiet: Waits;
  attacked: Waits;
  /** Processor time of the process for a request of the attack, as a multiple of that for a read when it is quiet. */
  cost: number;
  /** Peak of the resident memory of the process that serves the functions, in MB. */
  memoryMb: number;
  flood: FloodResult;
}

/** Starts a Postgres with two workspaces, a process that serves the functions, and an attacker. */
export async function openAttackWorld() {
  const world = await openLoadWorld(SIZES);
  const attacker = startAttacker();
  return {
    ...world,
    attacker,
    async [Symbol.asyncDispose]() {
      await attacker[Symbol.asyncDispose]();
      await world[Symbol.asyncDispose]();
    },
  };
}

export type AttackWorld = Awaited<ReturnType<typeof openAttackWorld>>;

/** Attacks a server, and compares the waits of a legitimate client with those before the attack. */
export async function attack(
  { workspaces, attacker }: Pick<LoadWorld, "workspaces"> & Pick<AttackWorld, "attacker">,
  server: Server,
  order: Omit<Flood, "baseUrl" | "seconds">,
  { short, note }: Conditions,
  work: Client = readAsClient,
  seconds = short ? 2 : 10,
): Promise<Harm> {
  const { baseUrl, pid } = server;
  const victim = workspaces[0]!;
  // The first requests load and compile what they need.
  await work(baseUrl, victim, 1);
  const started = await cpuOfProcess(pid);
  const quiet = await work(baseUrl, victim, seconds);
  const quieted = await cpuOfProcess(pid);
  const flooding = attacker.flood({ ...order, baseUrl, seconds: seconds + WARM_UP_SECONDS });
  await pause(WARM_UP_SECONDS * 1000);
  const attacked = await work(baseUrl, victim, seconds);
  const flood = await flooding;
  const ofRead = (quieted - started) / quiet.calls;
  const answered = sum(Object.values(flood.statuses)) + flood.unanswered;
  const cost = (await cpuOfProcess(pid) - quieted - attacked.calls * ofRead) / answered / ofRead;
  // A server may keep connections waiting, or close them later; where each fails at once, it is the attack that fails.
  if (Object.keys(flood.statuses).length === 0 && flood.longestSeconds < 1) {
    throw new Error(`No request was sent: ${flood.example}`);
  }
  const memoryMb = Math.round((await memoryOfProcess(pid)).peak / 2 ** 20);
  note(`quiet: ${describeWaits(quiet)}; attacked: ${describeWaits(attacked)}; memory ${memoryMb} MB at most`);
  note(`a request of the attack takes ${cost.toFixed(1)} times the processor time of a read`);
  note(
    `the attacker's answers by status: ${JSON.stringify(flood.statuses)}, ${flood.unanswered} without${
      flood.example === null ? "" : ` (${flood.example})`
    }`,
  );
  return { quiet, attacked, cost, memoryMb, flood };
}

/** A process with as many connections as an isolate has where the service is hosted. */
export const ISOLATE = { DATABASE_POOL_SIZE: "4" };

/**
 * Attacks an isolate from within: with keys or sessions of one workspace, while the people of another one work.
 *
 * @returns the figures of what that costs these, and of the isolate's memory if it has a target
 */
export async function attackNeighbours(
  name: string,
  world: AttackWorld,
  server: Server,
  order: Omit<Flood, "baseUrl" | "seconds">,
  conditions: Conditions,
  maxMemoryMb?: number,
): Promise<Measurement[]> {
  const seconds = conditions.short ? 6 : 20;
  const { quiet, attacked, memoryMb } = await attack(world, server, order, conditions, workAsPeople, seconds);
  return [
    waitRatio(`${name}: another workspace's p90 ÷ its quiet value`, attacked.p90 / quiet.p90, 3),
    count(`${name}: its calls that failed`, attacked.failed, "calls"),
    ...(maxMemoryMb ? [atMost(`${name}: memory of the process`, memoryMb, "MB", maxMemoryMb)] : []),
  ];
}

/** Gives each of these contacts of the attacker's workspace so many deals. */
export async function giveDeals(
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

/** The figure of what a request of an attack costs; none where the system does not tell processor times. */
export function costOf(name: string, cost: number, target: number): Measurement[] {
  if (Number.isNaN(cost)) return [];
  return [ratio(`${name}: processor time of one ÷ that of a read`, cost, "lower", target)];
}
