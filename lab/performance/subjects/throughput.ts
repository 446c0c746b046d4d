import { join } from "node:path";
import { type Measurement, ratio } from "../../harness/figures.ts";
import type { Subject } from "../../harness/subject.ts";
import { MAKE_TABLES } from "../bare/statements.ts";
import { comparePaces, sizesOf } from "../load/compare.ts";
import { medianRatio } from "../load/pace.ts";
import { api, bare, type MakeRequest } from "../load/requests.ts";
import { openLoadWorld } from "../load/world.ts";

const BARE_FOLDER = join(import.meta.dirname!, "..", "bare");
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
    ours: api.createRepeatable,
    bare: bare.create,
    target: 0.40,
  },
  { name: "Take in a lead", named: true, ours: api.lead, bare: bare.lead, target: 0.45 },
];

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
    for (const { name, named: isNamed, ours, bare, target } of CASES) {
      const server = isNamed ? named : unnamed;
      const paces = await comparePaces(name, { bare, "the API": ours }, world, server, conditions);
      const share = medianRatio(paces["the API"], paces.bare, ({ rate }) => rate);
      measurements.push(ratio(`${name} ÷ bare`, share, "higher", target));
    }
    return measurements;
  },
};
