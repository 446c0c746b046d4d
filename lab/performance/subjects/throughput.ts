import { join } from "node:path";
import { giveHistory } from "../accounts.ts";
import { MAKE_TABLES } from "../bare/statements.ts";
import type { Conditions, Measurement, Subject } from "../figure.ts";
import type { Server } from "../functions.ts";
import { type LoadWorld, openLoadWorld } from "../load_world.ts";
import { measureInTurns, type Pace, ratioOf, typical } from "../rounds.ts";
import { api, bare, type Make, requestsOf } from "../workload.ts";

const BARE_FOLDER = join(import.meta.dirname!, "..", "bare");
const CONNECTIONS = 16;
/** So many keys that none comes near its 120 calls a minute on a machine many times as fast. */
const SIZES = { accounts: 200, keysEach: 20, contactsEach: 60 };

interface Case {
  name: string;
  /** Whether statements are named, as on a direct connection; a transaction pooler keeps none. */
  named: boolean;
  ours: Make;
  bare: Make;
  /** The least share of bare's requests per second. */
  target: number;
  /** Another way to be bare, to be told of. */
  aside?: { name: string; make: Make };
}

const BY_OUR_DRIVER = { name: "bare by the API's driver", make: bare.readByPg };

const CASES: Case[] = [
  {
    name: "Read a contact, named statement",
    named: true,
    ours: api.read,
    bare: bare.read,
    target: 0.40,
    aside: BY_OUR_DRIVER,
  },
  {
    name: "Read a contact, unnamed statement",
    named: false,
    ours: api.read,
    bare: bare.read,
    target: 0.55,
    aside: BY_OUR_DRIVER,
  },
  {
    name: "List 50 contacts",
    named: true,
    ours: api.list,
    bare: bare.list,
    target: 0.75,
    aside: { name: "bare, made into JSON by Postgres", make: bare.listAsText },
  },
  {
    name: "Create a contact with an Idempotency-Key",
    named: true,
    ours: api.create,
    bare: bare.create,
    target: 0.30,
  },
  { name: "Take in a lead", named: true, ours: api.lead, bare: bare.lead, target: 0.20 },
];

/** The API's requests per second, as a share of those of the same process, framework and tables without it. */
export const throughput: Subject = {
  name: "throughput",
  title: "Throughput, as a share of a bare select or insert behind the same gateway",
  async measure(conditions) {
    const world = await openLoadWorld(SIZES);
    try {
      await world.sql.unsafe(MAKE_TABLES);
      const named = await world.serve({ DATABASE_PREPARE: "true" }, [BARE_FOLDER]);
      const unnamed = await world.serve({ DATABASE_PREPARE: "" }, [BARE_FOLDER]);
      const measurements: Measurement[] = [];
      for (const one of CASES) {
        measurements.push(await measureCase(one, world, one.named ? named : unnamed, conditions));
      }
      return measurements;
    } finally {
      await world.close();
    }
  },
};

async function measureCase(
  { name, target, ours, bare, aside }: Case,
  { sql, accounts, generator, postgres: { dataDir } }: LoadWorld,
  { baseUrl, pid }: Server,
  { short, note }: Conditions,
): Promise<Measurement> {
  await giveHistory(sql);
  const plan = (make: Make) => ({
    baseUrl,
    connections: CONNECTIONS,
    seconds: short ? 1 : 1.2,
    requests: requestsOf(accounts, make),
  });
  const plans = [bare, ours, ...(aside && !short ? [aside.make] : [])].map(plan);
  const paces = await measureInTurns({ generator, pid, dataDir }, plans, short ? 3 : 5);
  const [bares, own, others] = paces as [Pace[], Pace[], Pace[]?];
  const value = Math.round(ratioOf(own, bares) * 100) / 100;
  note(`${name}: ${value}, ${shareOfProcessor(own, bares)}`);
  note(`  bare: ${describe(bares)}`);
  note(`  the API: ${describe(own)}`);
  if (others) note(`  ${aside!.name}: ${describe(others)}`);
  return { name: `${name} ÷ bare`, value, unit: "ratio", target, better: "higher" };
}

/** The same by what a request takes of the processor: steadier where other work gets in the way. */
function shareOfProcessor(own: Pace[], bares: Pace[]): string {
  const [ours, theirs] = [own, bares].map(typical).map(({ postgres, deno }) =>
    postgres === null || deno === null ? null : postgres + deno
  );
  return ours && theirs
    ? `by processor time ${(theirs / ours).toFixed(2)}`
    : "processor time unknown without /proc";
}

function describe(paces: Pace[]): string {
  const { rate, postgres, deno } = typical(paces);
  const processor = postgres === null || deno === null
    ? ""
    : `, each ${Math.round(postgres)} µs of Postgres and ${Math.round(deno)} µs of Deno`;
  return `${Math.round(rate)} requests/s${processor}`;
}
