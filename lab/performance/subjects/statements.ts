import { startOwnPostgres } from "../../../local/own_postgres.ts";
import { openSql } from "../../../local/sql.ts";
import type { Measurement, Subject } from "../figure.ts";
import type { Kind } from "../requests.ts";
import { allowedStatements, type Counted, countStatements } from "../statement_counts.ts";

const NAMES: Record<Kind, string> = {
  endpoint: "answered by every endpoint",
  replay: "replayed",
  refusal: "refused",
  unasked: "refused for want of anything like a key",
};

/** How many SQL statements a request takes, read off the wire. */
export const statements: Subject = {
  name: "statements",
  title: "SQL statements per request",
  async measure({ note }) {
    const postgres = await startOwnPostgres("crm-bench-");
    const sql = openSql(postgres.databaseUrl, { max: 1 });
    try {
      const all = await Array.fromAsync(countStatements(sql, postgres.databaseUrl));
      for (const { request, status } of all) {
        if (status !== request.expect) throw new Error(`${request.title}: ${status}, not ${request.expect}`);
      }
      note(`${all.length} requests`);
      return (Object.keys(NAMES) as Kind[]).map((kind) => worstOf(kind, all));
    } finally {
      await sql.end();
      await postgres.close();
    }
  },
};

/** One that is right says nothing of the others; one that is wrong is the figure. */
function worstOf(kind: Kind, all: Counted[]): Measurement {
  const ofKind = all.filter(({ request }) => request.kind === kind);
  const target = allowedStatements(ofKind[0]!.request);
  const wrong = ofKind.find(({ statements }) => statements !== target);
  return {
    name: `Statements of each of ${ofKind.length} requests ${NAMES[kind]}`,
    value: wrong?.statements ?? target,
    unit: "statements",
    target,
    better: "equal",
  };
}
