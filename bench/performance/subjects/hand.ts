import { join } from "node:path";
import { type Measurement, ratio } from "../../harness/figures.ts";
import type { Subject } from "../../harness/subject.ts";
import { MAKE_TABLES } from "../bare/statements.ts";
import { MAKE_COUNTS } from "../hand/statements.ts";
import { comparePaces, sizesOf } from "../load/compare.ts";
import { medianRatio } from "../load/pace.ts";
import { api, hand, handAwaited, type Operation } from "../load/requests.ts";
import { openLoadWorld } from "../load/world.ts";

const FOLDERS = ["bare", "hand"].map((name) => join(import.meta.dirname!, "..", name));

const CASES = [
  { operation: "read", name: "Read a contact", target: 1 },
  { operation: "list", name: "List 50 contacts", target: 1.1 },
  // By hand there is no Idempotency-Key, so that the same request is compared.
  { operation: "create", name: "Create a contact", target: 0.95 },
  { operation: "lead", name: "Take in a lead", target: 1.1 },
] as const;

const figureOf = (name: string, peer: "by hand, one statement" | "by hand, awaited") => `${name} ÷ ${peer}`;

/** The name of the figure of an operation, compared with the faster of the two forms. */
export function shareOfHand(operation: Operation): string {
  return figureOf(CASES.find((one) => one.operation === operation)!.name, "by hand, one statement");
}

/** The API's requests per second, as a share of those of a function that an engineer writes by hand (decision 25). */
export const byHand: Subject = {
  name: "hand",
  title: "Throughput, as a share of a function written by hand with a key, a scope and a limit",
  async measure(conditions) {
    await using world = await openLoadWorld(sizesOf(conditions));
    await world.sql.unsafe(MAKE_TABLES);
    await world.sql.unsafe(MAKE_COUNTS);
    await using server = await world.serve({ DATABASE_PREPARE: "true" }, FOLDERS);
    const measurements: Measurement[] = [];
    for (const { operation, name, target } of CASES) {
      const makers = {
        "by hand, one statement": hand[operation],
        "by hand, awaited": handAwaited[operation],
        "the API": api[operation],
      };
      const paces = await comparePaces(name, makers, world, server, conditions);
      for (const peer of ["by hand, one statement", "by hand, awaited"] as const) {
        const share = medianRatio(paces["the API"], paces[peer], ({ rate }) => rate);
        measurements.push(ratio(figureOf(name, peer), share, "higher", target));
      }
    }
    return measurements;
  },
};
