import { type Measurement, ratio, sum } from "../harness/figures.ts";
import { cpuOfProcess, memoryOfProcess } from "../harness/usage.ts";
import { pause } from "../harness/waiting.ts";
import type { Server } from "../harness/functions.ts";
import type { Conditions } from "../harness/subject.ts";
import { type LoadWorld, openLoadWorld } from "../performance/load/world.ts";
import { type Flood, type FloodResult, startAttacker } from "./flood.ts";
import { describeWaits, readAsClient, type Waits } from "./victim.ts";

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
): Promise<Harm> {
  const { baseUrl, pid } = server;
  const victim = workspaces[0]!;
  const seconds = short ? 2 : 10;
  // The first requests load and compile what they need.
  await readAsClient(baseUrl, victim, 1);
  const started = await cpuOfProcess(pid);
  const quiet = await readAsClient(baseUrl, victim, seconds);
  const quieted = await cpuOfProcess(pid);
  const flooding = attacker.flood({ ...order, baseUrl, seconds: seconds + WARM_UP_SECONDS });
  await pause(WARM_UP_SECONDS * 1000);
  const attacked = await readAsClient(baseUrl, victim, seconds);
  const flood = await flooding;
  const ofRead = (quieted - started) / quiet.reads;
  const answered = sum(Object.values(flood.statuses)) + flood.unanswered;
  const cost = (await cpuOfProcess(pid) - quieted - attacked.reads * ofRead) / answered / ofRead;
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

/** The figure of what a request of an attack costs; none where the system does not tell processor times. */
export function costOf(name: string, cost: number, target: number): Measurement[] {
  if (Number.isNaN(cost)) return [];
  return [ratio(`${name}: processor time of one ÷ that of a read`, cost, "lower", target)];
}
