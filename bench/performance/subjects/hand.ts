import { join } from "node:path";
import { measureInTurns, type Measurement, median, ratio } from "../../harness/figures.ts";
import type { Conditions, Subject } from "../../harness/run_subjects.ts";
import { cpuOfPostgres, cpuOfProcess } from "../../harness/usage.ts";
import { MAKE_REST } from "../hand/rest_statements.ts";
import { MAKE_TABLES } from "../hand/statements.ts";
import {
  api,
  hand,
  type MakeRequest,
  type Operation,
  requestsOf,
  rest,
  REST_JWT_SECRET,
} from "../load/requests.ts";
import { type LoadWorld, openLoadWorld, sendFlawlessly } from "../load/world.ts";
import { giveHistory } from "../load/workspaces.ts";

const FOLDER = join(import.meta.dirname!, "../hand");
const CONNECTIONS = 16;
/**
 * Rounds that do not count. V8 compiles a function's busiest code only after about 20,000 requests. Until then, a read
 * takes up to four times its later processor time in the API, and up to twice in the function written by hand.
 */
const WARM_UP_ROUNDS = 8;
/** Each function's connections to the database: the default of a deployment (database.ts). */
const POOL_SIZE = "4";
/** Enough keys that none reaches its 120 calls a minute, even on a machine many times faster. */
const SIZES = { workspaces: 200, keysEach: 20, contactsEach: 60 };

/** `target`: the smallest allowed ratio of the API's requests a second to those of the function written by hand. */
const CASES: { name: string; operation: Operation; target: number }[] = [
  { name: "Read a contact", operation: "read", target: 1 },
  { name: "List 50 contacts", operation: "list", target: 1.1 },
  // The function written by hand has no Idempotency-Key, so the API is measured without one.
  { name: "Create a contact", operation: "create", target: 0.95 },
  { name: "Take in a lead", operation: "lead", target: 1.1 },
];

/** The smallest allowed ratio of the API's requests a second to those of hand/rest (PostgREST's statements). */
const REST_TARGET = 1.2;

/** The API misses some targets (docs/performance.md), so a short run fails only if it gets much slower. */
const SHORT_SHARE = 0.5;

/** The API's requests per second, as a share of those of a function that an engineer writes by hand (decision 25). */
export const byHand: Subject = {
  name: "hand",
  title: "Throughput, as a share of a function written by hand with a key, a scope and a limit",
  async measure(conditions) {
    await using world = await openLoadWorld(conditions.short ? { ...SIZES, workspaces: 40 } : SIZES);
    await world.sql.unsafe(MAKE_TABLES);
    await world.sql.unsafe(MAKE_REST);
    await using server = await world.serve(
      { DATABASE_POOL_SIZE: POOL_SIZE, REST_JWT_SECRET },
      [FOLDER],
    );
    const measurements: Measurement[] = [];
    for (const { name, operation, target } of CASES) {
      const makers = [api[operation], hand[operation], rest[operation]] as const;
      const [byHand, byRest] = await measureShares(name, makers, world, server, conditions);
      const share = conditions.short ? SHORT_SHARE : 1;
      measurements.push(
        ratio(`${name} ÷ by hand, one statement`, byHand, "higher", target * share),
        ratio(`${name} ÷ what PostgREST sends`, byRest, "higher", REST_TARGET * share),
      );
    }
    return measurements;
  },
};

/** Divides the API's rate by the rates of hand/hand and hand/rest. Medians over rounds in which all take turns. */
async function measureShares(
  name: string,
  makers: readonly [api: MakeRequest, hand: MakeRequest, rest: MakeRequest],
  { sql, workspaces, send, dataDir }: LoadWorld,
  { baseUrl, pid }: { baseUrl: string; pid: number },
  { short, note }: Conditions,
): Promise<[byHand: number, byRest: number]> {
  await giveHistory(sql);
  const seconds = short ? 0.4 : 1.2;
  const [ours, byHand, byRest] = await measureInTurns(
    makers.map((make) => async () => {
      const plan = { baseUrl, connections: CONNECTIONS, seconds, requests: requestsOf(workspaces, make) };
      const before = [await cpuOfProcess(pid), await cpuOfPostgres(dataDir)] as const;
      const { count, seconds: taken } = await sendFlawlessly(send, plan);
      const after = [await cpuOfProcess(pid), await cpuOfPostgres(dataDir)] as const;
      return {
        rate: count / taken,
        process: (after[0] - before[0]) * 1000 / count,
        postgres: (after[1] - before[1]) * 1000 / count,
      };
    }),
    short ? 3 : 5,
    short ? 1 : WARM_UP_ROUNDS,
  ) as [Pace[], Pace[], Pace[]];
  note(`${name}, by hand: ${describePaces(byHand)}`);
  note(`${name}, what PostgREST sends: ${describePaces(byRest)}`);
  note(`${name}, the API: ${describePaces(ours)}`);
  const shareOf = (theirs: Pace[]) => median(ours.map(({ rate }, round) => rate / theirs[round]!.rate));
  return [shareOf(byHand), shareOf(byRest)];
}

/** Requests a second, and microseconds of processor time for each; NaN if the system has no /proc. */
type Pace = Record<"rate" | "process" | "postgres", number>;

function describePaces(paces: Pace[]): string {
  const middle = (of: keyof Pace) => Math.round(median(paces.map((pace) => pace[of])));
  return `${middle("rate")} a second, each ${middle("process")} µs of its process and ${
    middle("postgres")
  } µs of Postgres`;
}
