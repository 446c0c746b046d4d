import { join } from "node:path";
import { measureInTurns, type Measurement, ratio } from "../../harness/figures.ts";
import type { Conditions, Subject } from "../../harness/run_subjects.ts";
import { MAKE_TABLES } from "../bare/statements.ts";
import { MAKE_COUNTS } from "../hand/statements.ts";
import { describePaces, measurePace, medianRatio } from "../load/pace.ts";
import { api, bare, hand, type MakeRequest, type Operation, requestsOf } from "../load/requests.ts";
import { type LoadWorld, openLoadWorld, sendFlawlessly } from "../load/world.ts";
import { giveHistory } from "../load/workspaces.ts";

const FOLDERS = ["bare", "hand"].map((name) => join(import.meta.dirname!, "..", name));
const CONNECTIONS = 16;
/** Enough keys that none reaches its 120 calls a minute, even on a machine many times faster. */
const SIZES = { workspaces: 200, keysEach: 20, contactsEach: 60 };

interface Case {
  name: string;
  ours: keyof typeof api;
  /** The peer's operation: the same work, without what only the API has. */
  operation: Operation;
  /** The smallest allowed share of the peer's requests a second. */
  target: number;
  /** Statements have no name, as behind a transaction pooler. */
  unnamed?: true;
}

const OF_BARE: Case[] = [
  { name: "Read a contact, named statement", ours: "read", operation: "read", target: 0.40 },
  { name: "Read a contact, unnamed statement", ours: "read", operation: "read", target: 0.55, unnamed: true },
  { name: "List 50 contacts", ours: "list", operation: "list", target: 0.75 },
  { name: "Create a contact", ours: "create", operation: "create", target: 0.40 },
  {
    name: "Create a contact with an Idempotency-Key",
    ours: "createRepeatable",
    operation: "create",
    target: 0.40,
  },
  { name: "Take in a lead", ours: "lead", operation: "lead", target: 0.45 },
];

const OF_HAND: Case[] = [
  { name: "Read a contact", ours: "read", operation: "read", target: 1 },
  { name: "List 50 contacts", ours: "list", operation: "list", target: 1.1 },
  // The function written by hand has no Idempotency-Key, so the API is measured without one.
  { name: "Create a contact", ours: "create", operation: "create", target: 0.95 },
  { name: "Take in a lead", ours: "lead", operation: "lead", target: 1.1 },
];

/** The API's requests per second, as a share of those of bare statements in the same process and framework. */
export const throughput: Subject = {
  name: "throughput",
  title: "Throughput, as a share of a bare select or insert behind the same gateway",
  measure: (conditions) => compare(OF_BARE, "bare", bare, conditions),
};

/** The API's requests per second, as a share of those of a function that an engineer writes by hand (decision 25). */
export const byHand: Subject = {
  name: "hand",
  title: "Throughput, as a share of a function written by hand with a key, a scope and a limit",
  measure: (conditions) => compare(OF_HAND, "by hand, one statement", hand, conditions),
};

async function compare(
  cases: Case[],
  peer: string,
  theirs: Record<Operation, MakeRequest>,
  conditions: Conditions,
): Promise<Measurement[]> {
  await using world = await openLoadWorld(conditions.short ? { ...SIZES, workspaces: 40 } : SIZES);
  await world.sql.unsafe(MAKE_TABLES + MAKE_COUNTS);
  await using named = await world.serve({ DATABASE_PREPARE: "true" }, FOLDERS);
  await using unnamed = await world.serve({ DATABASE_PREPARE: "" }, FOLDERS);
  const measurements: Measurement[] = [];
  for (const one of cases) {
    const makers = [theirs[one.operation], api[one.ours]] as const;
    const share = await measureShare(
      one.name,
      peer,
      makers,
      world,
      one.unnamed ? unnamed : named,
      conditions,
    );
    measurements.push(ratio(`${one.name} ÷ ${peer}`, share, "higher", one.target));
  }
  return measurements;
}

/** The median of the rounds' ratios, in turns. */
async function measureShare(
  name: string,
  peer: string,
  makers: readonly [theirs: MakeRequest, ours: MakeRequest],
  { sql, workspaces, send, dataDir }: LoadWorld,
  { baseUrl, pid }: { baseUrl: string; pid: number },
  { short, note }: Conditions,
): Promise<number> {
  await giveHistory(sql);
  const seconds = short ? 0.4 : 1.2;
  const [theirs, ours] = await measureInTurns(
    makers.map((make) => {
      const plan = { baseUrl, connections: CONNECTIONS, seconds, requests: requestsOf(workspaces, make) };
      return () => measurePace(pid, dataDir, () => sendFlawlessly(send, plan));
    }),
    short ? 3 : 5,
  );
  note(`${name}, ${peer}: ${describePaces(theirs!)}`);
  note(`${name}, the API: ${describePaces(ours!)}`);
  return medianRatio(ours!, theirs!, ({ rate }) => rate);
}
