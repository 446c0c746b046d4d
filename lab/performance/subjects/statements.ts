import { count, type Measurement } from "../../harness/figures.ts";
import { openWorld } from "../../harness/world.ts";
import { allowedStatements, type Counted, countStatements } from "../statements/counts.ts";
import type { Kind } from "../statements/requests.ts";
import type { Subject } from "../subject.ts";

const NAMES: Record<Kind, string> = {
  endpoint: "answered by every endpoint",
  replay: "replayed",
  refusal: "refused",
  unasked: "refused for want of anything like a key",
};

/** How many SQL statements a request takes: what tests/contract/one_statement_test.ts counts, as figures. */
export const statements: Subject = {
  name: "statements",
  title: "SQL statements per request",
  async measure() {
    await using world = await openWorld();
    const counted = await Array.fromAsync(countStatements(world.sql, world.databaseUrl));
    return (Object.keys(NAMES) as Kind[]).map((kind) =>
      worstOf(kind, counted.filter(({ request }) => request.kind === kind))
    );
  },
};

/** One that is right says nothing of the others; one that is wrong is the figure. */
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
