import { FUNCTIONS_ROLE } from "../../../operator/functions_password.ts";
import { type Check, deployAgain, fine, skipped, wrong } from "../check.ts";
import { probe } from "../probe.ts";

/** The functions connect as crm_functions, which can do little, and not as the owner. */
export const sessions: Check = {
  name: "functions' database user",
  needsDatabase: true,
  async look(project) {
    const { sql, functionsUrl } = project;
    // Makes a function query the database, so that a session is open.
    const health = await probe(`${functionsUrl}/api-v1-health`);
    if (health.status !== 200) return skipped("the health check does not answer");
    const rows = await sql<{ usename: string }[]>`
      select distinct usename from pg_stat_activity
      where datname = current_database() and (application_name = 'crm-api' or usename = ${FUNCTIONS_ROLE})
      order by usename
    `;
    const others = rows.map(({ usename }) => usename).filter((name) => name !== FUNCTIONS_ROLE);
    if (others.length > 0) {
      return wrong(
        `The functions connect as ${others.join(", ")}, and not as ${FUNCTIONS_ROLE}`,
        deployAgain(project),
      );
    }
    // A pooler hides the name of the application, but not the user.
    if (rows.length === 0) {
      return wrong(
        `The functions reach a database, and no session of ${FUNCTIONS_ROLE} is open in this one`,
        deployAgain(project),
      );
    }
    return fine();
  },
};
