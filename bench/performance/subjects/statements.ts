import { count, type Measurement } from "../../harness/figures.ts";
import { openWorld } from "../../harness/world.ts";
import { allowedStatements, type Counted, countStatements } from "../statements/counts.ts";
import type { Kind } from "../statements/requests.ts";
import type { Subject } from "../../harness/run_subjects.ts";

const NAMES: Record<Kind, string> = {
  endpoint: "answered by every endpoint",
  replay: "replayed",
  error: "refused",
  malformed: "refused for want of anything like a key",
  "first large body": "with the first large body of a key in an isolate",
};

/** How many SQL statements a request takes, as figures; tests/contract/one_statement_test.ts asserts the same counts. */
export const statements: Subject = {
  name: "statements",
  title: "SQL statements per request",
  async measure() {
    await using world = await openWorld();
    const counted = await Array.fromAsync(countStatements(world.sql, world.functionsDatabaseUrl));
    return (Object.keys(NAMES) as Kind[]).map((kind) =>
      worstOf(kind, counted.filter(({ request }) => request.kind === kind))
    );
  },
};

/** The value is the first wrong count, or the target if every count is right. */
function worstOf(kind: Kind, counted: Counted[]): Measurement {
  const target = allowedStatements(counted[0]!.request);
  const value = counted.find(({ statements }) => statements !== target)?.statements ?? target;
  return count(
    `Statements of each of ${counted.length} requests ${NAMES[kind]}`,
    value,
    "statements",
    target,
  );
}
