import { join } from "node:path";
import { type Measurement, ratio } from "../../harness/figures.ts";
import type { Subject } from "../../harness/subject.ts";
import { MAKE_TABLES } from "../bare/statements.ts";
import { comparePaces, sizesOf } from "../load/compare.ts";
import { medianRatio } from "../load/pace.ts";
import { api, bare, type Operation } from "../load/requests.ts";
import { openLoadWorld } from "../load/world.ts";

const BARE_FOLDER = join(import.meta.dirname!, "..", "bare");
interface Case {
  name: string;
  /** Whether statements are named, as on a direct connection; behind a transaction pooler they cannot be. */
  named: boolean;
  ours: keyof typeof api;
  bare: Operation;
  /** The smallest allowed share of bare's requests per second. */
  target: number;
}

const CASES: Case[] = [
  { name: "Read a contact, named statement", named: true, ours: "read", bare: "read", target: 0.40 },
  { name: "Read a contact, unnamed statement", named: false, ours: "read", bare: "read", target: 0.55 },
  { name: "List 50 contacts", named: true, ours: "list", bare: "list", target: 0.75 },
  { name: "Create a contact", named: true, ours: "create", bare: "create", target: 0.40 },
  {
    name: "Create a contact with an Idempotency-Key",
    named: true,
    ours: "createRepeatable",
    bare: "create",
    target: 0.40,
  },
  { name: "Take in a lead", named: true, ours: "lead", bare: "lead", target: 0.45 },
];

const figureOf = (name: string) => `${name} ÷ bare`;

/** The name of the figure of an operation with a named statement, of the same request as the function by hand gets. */
export function shareOfBare(operation: Operation): string {
  return figureOf(CASES.find(({ ours, named }) => ours === operation && named)!.name);
}

/** The API's requests per second, as a share of those of bare statements in the same process and framework. */
export const throughput: Subject = {
  name: "throughput",
  title: "Throughput, as a share of a bare select or insert behind the same gateway",
  async measure(conditions) {
    await using world = await openLoadWorld(sizesOf(conditions));
    await world.sql.unsafe(MAKE_TABLES);
    await using named = await world.serve({ DATABASE_PREPARE: "true" }, [BARE_FOLDER]);
    await using unnamed = await world.serve({ DATABASE_PREPARE: "" }, [BARE_FOLDER]);
    const measurements: Measurement[] = [];
    for (const { name, named: isNamed, ours, bare: peer, target } of CASES) {
      const server = isNamed ? named : unnamed;
      const makers = { bare: bare[peer], "the API": api[ours] };
      const paces = await comparePaces(name, makers, world, server, conditions);
      const share = medianRatio(paces["the API"], paces.bare, ({ rate }) => rate);
      measurements.push(ratio(figureOf(name), share, "higher", target));
    }
    return measurements;
  },
};
