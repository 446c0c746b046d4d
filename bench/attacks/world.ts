import { atMost, count, type Measurement, percentile, ratio, sum, waiting } from "../harness/figures.ts";
import type { Server } from "../harness/functions.ts";
import type { Conditions, Subject } from "../harness/run_subjects.ts";
import { cpuOfProcess, memoryOfProcess } from "../harness/usage.ts";
import { pause } from "../harness/waiting.ts";
import type { LoadPlan, LoadResult } from "../performance/load/generator_process.ts";
import { get } from "../performance/load/requests.ts";
import { openLoadWorld, startGenerator } from "../performance/load/world.ts";

/** An attack, and limits for its effects on other callers. */
export interface Attack {
  name: string;
  title: string;
  /** The highest allowed values. `cost`, `p50` and `p90` are multiples of a read's values before the attack. */
  targets: { cost: number; p50?: number; p90?: number; memoryMb?: number };
  env?: Record<string, string>;
  /** Prepares the database, and returns what to send. */
  plan(world: AttackWorld, conditions: Conditions): Case[] | Promise<Case[]>;
}

interface Case {
  /** The prefix for the names of this case's figures. */
  label: string;
  order: Pick<LoadPlan, "connections" | "requests" | "pauseMs">;
}

/** The waits of a legitimate client, and the processor time and memory of the attacked process. */
interface Harm {
  quiet: Waits;
  attacked: Waits;
  /** Processor time of one request of the attack ÷ processor time of a read before the attack. */
  cost: number;
  /** Peak resident memory of the process that serves the functions. */
  memoryMb: number;
}

/** The first workspace is the victim's. The second is the attacker's, for attacks with valid keys. */
const SIZES = { workspaces: 2, keysEach: 60, contactsEach: 60 };

/** Unix niceness: 19 is the lowest priority. */
const LOWEST_PRIORITY = 19;

export type AttackWorld = Awaited<ReturnType<typeof openAttackWorld>>;

async function openAttackWorld() {
  const world = await openLoadWorld(SIZES);
  // The lowest priority, because a real attacker would not use the service's processors.
  const attacker = startGenerator(LOWEST_PRIORITY);
  return {
    ...world,
    flood: attacker.send,
    async [Symbol.asyncDispose]() {
      await attacker[Symbol.asyncDispose]();
      await world[Symbol.asyncDispose]();
    },
  };
}

let shared: Promise<AttackWorld> | undefined;

export async function closeSharedWorld(): Promise<void> {
  await (await shared)?.[Symbol.asyncDispose]();
}

/** Turns an attack into a subject of the bench. Each case runs against a new server process. */
export function subjectOf({ name, title, targets, env = {}, plan }: Attack): Subject {
  return {
    name,
    title,
    async measure(conditions) {
      const world = await (shared ??= openAttackWorld());
      const measurements: Measurement[] = [];
      for (const { label, order } of await plan(world, conditions)) {
        conditions.note(label);
        await using server = await world.serve(env);
        measurements.push(...figuresOf(label, targets, await attack(world, server, order, conditions)));
      }
      return measurements;
    },
  };
}

async function attack(
  { workspaces, send, flood: sendFlood }: AttackWorld,
  { baseUrl, pid }: Server,
  order: Case["order"],
  { short, note }: Conditions,
): Promise<Harm> {
  const seconds = short ? 1.5 : 10;
  /** Seconds of attack before the victim's waits count. */
  const warmUp = short ? 1 : 2;
  const { keys, contactIds } = workspaces[0]!;
  // The victim sends about 80 reads a second, with each key in turn, so that no key reaches its rate limit.
  const requests = keys.map((key, n) => get(`/api-v1-contacts/${contactIds[n % contactIds.length]}`, key));
  const read = async (seconds: number) =>
    waitsOf(await send({ baseUrl, connections: 2, requests, pauseMs: 20, endures: true, seconds }));
  // The first requests load and compile code, so they do not count.
  await read(1);
  const started = await cpuOfProcess(pid);
  const quiet = await read(seconds);
  const quieted = await cpuOfProcess(pid);
  const flooding = sendFlood({ ...order, baseUrl, endures: true, seconds: seconds + warmUp });
  await pause(warmUp * 1000);
  const attacked = await read(seconds);
  const { statuses, unanswered, example } = await flooding;
  // A server may leave some connections unanswered. If it answered none, the attack did not reach it.
  if (Object.keys(statuses).length === 0) throw new Error(`No request was answered: ${example}`);
  const ofRead = (quieted - started) / quiet.calls;
  const answered = sum(Object.values(statuses)) + unanswered;
  const cost = (await cpuOfProcess(pid) - quieted - attacked.calls * ofRead) / answered / ofRead;
  const memoryMb = Math.round((await memoryOfProcess(pid)).peak / 2 ** 20);
  note(`before: ${describeWaits(quiet)}; during: ${describeWaits(attacked)}; peak memory ${memoryMb} MB`);
  note(`a request of the attack takes ${cost.toFixed(1)} times the processor time of a read`);
  note(`answers to the attack by status: ${JSON.stringify(statuses)}, ${unanswered} unanswered (${example})`);
  return { quiet, attacked, cost, memoryMb };
}

/** Milliseconds that a legitimate client waits, how many calls it made, and how many were not answered with 200. */
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

function figuresOf(label: string, targets: Attack["targets"], harm: Harm): Measurement[] {
  const { quiet, attacked, cost, memoryMb } = harm;
  const measurements: Measurement[] = [];
  // Without /proc, processor times are unknown, so this figure is left out.
  if (!Number.isNaN(cost)) {
    measurements.push(
      ratio(`${label}: processor time of one ÷ that of a read`, cost, "lower", targets.cost),
    );
  }
  for (const share of ["p50", "p90"] as const) {
    const target = targets[share];
    if (!target) continue;
    const growth = attacked[share] / quiet[share];
    measurements.push(
      waiting(
        ratio(`${label}: a read's ${share} ÷ its quiet value`, growth, "lower", target),
      ),
    );
  }
  measurements.push(count(`${label}: reads that failed`, attacked.failed, "reads"));
  if (targets.memoryMb) {
    measurements.push(atMost(`${label}: memory of the process`, memoryMb, "MB", targets.memoryMb));
  }
  return measurements;
}
