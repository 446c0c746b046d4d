import { join } from "node:path";
import { measureInTurns, type Measurement, ratio } from "../../harness/figures.ts";
import type { Server } from "../../harness/functions.ts";
import { MAKE_TABLES } from "../bare/statements.ts";
import type { LoadPlan } from "../load/generator_process.ts";
import { describePaces, measurePace, medianRatio, type Pace } from "../load/pace.ts";
import { api, bare, type MakeRequest, requestsOf } from "../load/requests.ts";
import { countAnswers, type LoadWorld, openLoadWorld } from "../load/world.ts";
import { giveHistory } from "../load/workspaces.ts";
import type { Conditions, Subject } from "../../harness/subject.ts";

const BARE_FOLDER = join(import.meta.dirname!, "..", "bare");
const CONNECTIONS = 16;
/** Enough keys that none reaches its 120 calls a minute, even on a machine many times faster. */
const SIZES = { workspaces: 200, keysEach: 20, contactsEach: 60 };
/** A short run sends a fifth as many requests. */
const SHORT_SIZES = { ...SIZES, workspaces: 40 };

interface Case {
  name: string;
  /** Whether statements are named, as on a direct connection; behind a transaction pooler they cannot be. */
  named: boolean;
  ours: MakeRequest;
  bare: MakeRequest;
  /** The smallest allowed share of bare's requests per second. */
  target: number;
}

const CASES: Case[] = [
  { name: "Read a contact, named statement", named: true, ours: api.read, bare: bare.read, target: 0.40 },
  { name: "Read a contact, unnamed statement", named: false, ours: api.read, bare: bare.read, target: 0.55 },
  { name: "List 50 contacts", named: true, ours: api.list, bare: bare.list, target: 0.75 },
  {
    name: "Create a contact with an Idempotency-Key",
    named: true,
    ours: api.create,
    bare: bare.create,
    target: 0.30,
  },
  { name: "Take in a lead", named: true, ours: api.lead, bare: bare.lead, target: 0.20 },
];

/** The API's requests per second, as a share of those of bare statements in the same process and framework. */
export const throughput: Subject = {
  name: "throughput",
  title: "Throughput, as a share of a bare select or insert behind the same gateway",
  async measure(conditions) {
    await using world = await openLoadWorld(conditions.short ? SHORT_SIZES : SIZES);
    await world.sql.unsafe(MAKE_TABLES);
    await using named = await world.serve({ DATABASE_PREPARE: "true" }, [BARE_FOLDER]);
    await using unnamed = await world.serve({ DATABASE_PREPARE: "" }, [BARE_FOLDER]);
    const measurements: Measurement[] = [];
    for (const testCase of CASES) {
      measurements.push(await measureCase(testCase, world, testCase.named ? named : unnamed, conditions));
    }
    return measurements;
  },
};

async function measureCase(
  { name, target, ours, bare }: Case,
  { sql, workspaces, send, dataDir }: LoadWorld,
  { baseUrl, pid }: Server,
  { short, note }: Conditions,
): Promise<Measurement> {
  await giveHistory(sql);
  const load = (make: MakeRequest) => {
    const requests = requestsOf(workspaces, make);
    const plan = { baseUrl, connections: CONNECTIONS, seconds: short ? 0.4 : 1.2, requests };
    return () => measurePace(pid, dataDir, () => sendFlawlessly(send, plan));
  };
  const [bares, own] = await measureInTurns([load(bare), load(ours)], 5) as [Pace[], Pace[]];
  note(`${name}, bare: ${describePaces(bares)}`);
  note(`${name}, the API: ${describePaces(own)}`);
  return ratio(`${name} ÷ bare`, medianRatio(own, bares, ({ rate }) => rate), "higher", target);
}

/** @throws Error if a request was not answered as expected, because the rate would be that of other work */
async function sendFlawlessly(send: LoadWorld["send"], plan: LoadPlan) {
  const result = await send(plan);
  const { unexpected, unanswered, example, seconds } = result;
  const count = countAnswers(result);
  if (unexpected + unanswered === 0) return { count, seconds };
  throw new Error(
    `Of ${count} answers ${unexpected} were not as expected, ${unanswered} had none: ${example}`,
  );
}
