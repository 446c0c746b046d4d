import { hasTable } from "../../../local/sql.ts";
import { type Check, type Finding, fine } from "../check.ts";

/** The job runs every 10 seconds; after an import of 100,000 records it needs two minutes. */
const LATENESS_S = 600;
const RUN = { sql: "select crm.index_texts();" };

/** The job index-texts is not late. Until it has indexed a changed record, each search has to read that record. */
export const search: Check = {
  name: "search",
  async look({ sql }) {
    if (!await hasTable(sql, "crm.search_progress")) return fine("the index comes with the migrations");
    const [{ age, workspaces }] = await sql<[{ age: number; workspaces: number }]>`
      select
        extract(epoch from clock_timestamp() - p.reached_at)::float8 as age,
        (
          select count(*)::int from crm.search_backlog b
          where b.reached_at < clock_timestamp() - make_interval(secs => ${LATENESS_S})
        ) as workspaces
      from crm.search_progress p`;
    const findings: Finding[] = [];
    if (age > LATENESS_S) {
      const late = `${Math.round(age / 60)} minutes behind`;
      findings.push({
        message:
          `The search index is ${late}: the job index-texts does not run, or a transaction was left open`,
        remedy: RUN,
      });
    }
    if (workspaces > 0) {
      findings.push({
        message:
          `In ${workspaces} workspaces more records changed than the job index-texts could index in time`,
        remedy: RUN,
      });
    }
    return { findings };
  },
};
