import { join } from "node:path";
import { atMost, measureInTurns, type Measurement } from "../../harness/figures.ts";
import type { Subject } from "../../harness/subject.ts";
import { cpuOfPostgres } from "../../harness/usage.ts";
import { MAKE_TABLES } from "../bare/statements.ts";
import { MAKE_COUNTS } from "../hand/statements.ts";
import { sendFlawlessly } from "../load/compare.ts";
import { api, hand, type MakeRequest, requestsOf } from "../load/requests.ts";
import { openLoadWorld } from "../load/world.ts";
import { giveHistory } from "../load/workspaces.ts";

const HAND_FOLDER = join(import.meta.dirname!, "..", "hand");
const SIZES = { workspaces: 100, keysEach: 20, contactsEach: 60 };

const CASES: {
  name: string;
  ours: MakeRequest;
  hand: MakeRequest;
  /** The most that ours may cost; what is not named is only noted. */
  targets: Partial<Cost>;
}[] = [
  { name: "Read a contact", ours: api.read, hand: hand.read, targets: {} },
  { name: "List 50 contacts", ours: api.list, hand: hand.list, targets: {} },
  { name: "Create a contact", ours: api.create, hand: hand.create, targets: { cpu: 350, wal: 1_100 } },
  {
    name: "Create a contact with an Idempotency-Key",
    ours: api.createRepeatable,
    hand: hand.create,
    targets: {},
  },
  { name: "Take in a lead", ours: api.lead, hand: hand.lead, targets: { cpu: 1_000 } },
];

/** What a request costs Postgres. */
interface Cost {
  /** Microseconds of processor time, of all its processes. */
  cpu: number;
  /** Bytes of WAL. */
  wal: number;
}

/** What a request costs Postgres, by the API and by the function that is written by hand, one request after the other. */
export const costs: Subject = {
  name: "costs",
  title: "What a request costs Postgres: processor time and WAL",
  async measure(conditions) {
    await using world = await openLoadWorld(SIZES);
    await world.sql.unsafe(MAKE_TABLES);
    await world.sql.unsafe(MAKE_COUNTS);
    await using server = await world.serve({ DATABASE_PREPARE: "true" }, [HAND_FOLDER]);
    const readWal = async () => {
      const [row] = await world.sql<[{ bytes: number }]>`
        select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as bytes`;
      return row.bytes;
    };
    const cost = (make: MakeRequest) => async (): Promise<Cost> => {
      const before = [await cpuOfPostgres(world.dataDir), await readWal()] as const;
      const { count } = await sendFlawlessly(world.send, {
        baseUrl: server.baseUrl,
        connections: 1,
        seconds: conditions.short ? 0.4 : 1.5,
        requests: requestsOf(world.workspaces, make),
      });
      return {
        cpu: (await cpuOfPostgres(world.dataDir) - before[0]) * 1000 / count,
        wal: (await readWal() - before[1]) / count,
      };
    };
    const measurements: Measurement[] = [];
    for (const { name, ours, hand, targets } of CASES) {
      await giveHistory(world.sql);
      const rounds = await measureInTurns([cost(ours), cost(hand)], conditions.short ? 3 : 5);
      const [least, byHand] = rounds.map(leastOf) as [Cost, Cost];
      conditions.note(`${name}: ${describe(least)}; by hand ${describe(byHand)}`);
      measurements.push(...figuresOf(name, least, targets));
    }
    return measurements;
  },
};

/** Other work of the machine, and the first change of a page after a checkpoint, only ever add. */
function leastOf(costs: Cost[]): Cost {
  return { cpu: Math.min(...costs.map(({ cpu }) => cpu)), wal: Math.min(...costs.map(({ wal }) => wal)) };
}

function figuresOf(name: string, least: Cost, { cpu, wal }: Partial<Cost>): Measurement[] {
  return [
    ...cpu ? [atMost(`${name}: processor time of Postgres`, Math.round(least.cpu), "µs", cpu)] : [],
    ...wal ? [atMost(`${name}: WAL`, Math.round(least.wal), "bytes", wal)] : [],
  ];
}

function describe({ cpu, wal }: Cost): string {
  return `${Math.round(cpu)} µs and ${Math.round(wal)} bytes of WAL`;
}
