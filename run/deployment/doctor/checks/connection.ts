import { describeDatabaseError } from "../../../cli/database.ts";
import { firstLine } from "../../../local/stack_error.ts";
import { type Check, fine, type Project, wrong } from "../check.ts";
import { isLoopback } from "../../../../supabase/functions/_shared/runtime/service.ts";

/** The oldest Postgres that the migrations are tested on. */
const OLDEST_POSTGRES = 15;
const SKEW_LIMIT_MS = 5_000;

/** The database can be reached, and its Postgres is new enough. If it cannot be reached, other checks are skipped. */
export const database: Check = {
  name: "database",
  withoutDatabase: true,
  async look({ sql }) {
    try {
      const [server] = await sql<[{ version: string; number: number }]>`
        select current_setting('server_version') as version, current_setting('server_version_num')::int as number
      `;
      if (server.number < OLDEST_POSTGRES * 10_000) {
        return wrong(`It is Postgres ${server.version}, and the oldest that works is ${OLDEST_POSTGRES}`, {
          advice: "Upgrade it in the dashboard: Project Settings, Infrastructure",
        });
      }
      return fine(`Postgres ${server.version}`);
    } catch (error) {
      return wrong(describeDatabaseError(error) ?? `The database cannot be reached: ${firstLine(error)}`, {
        advice: "Correct DATABASE_URL: the owner's session pooler (port 5432), or the direct address",
      });
    }
  },
};

export const databaseTls: Check = {
  name: "database TLS",
  async look({ sql, databaseUrl }) {
    if (isLoopback(databaseUrl.hostname)) return fine("not needed on this machine");
    const [{ ssl }] = await sql<[{ ssl: boolean }]>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`;
    const mode = databaseUrl.searchParams.get("sslmode");
    if (mode !== "verify-full") {
      return wrong(
        `DATABASE_URL has ${
          mode === null ? "no sslmode" : `sslmode=${mode}`
        }, so the server's certificate is not verified` +
          (ssl ? "" : ", and the connection is in clear text"),
        { advice: "End DATABASE_URL in ?sslmode=verify-full, and set DATABASE_CA to the CA's certificate" },
      );
    }
    return fine();
  },
};

/** The database's clock is right: it dates deliveries, which receivers check, and decides when keys have expired. */
export const clocks: Check = {
  name: "clocks",
  async look(project) {
    const skew = await measureSkew(project);
    if (Math.abs(skew) <= SKEW_LIMIT_MS) return fine();
    const difference = `${Math.round(Math.abs(skew) / 1000)} s ${skew > 0 ? "ahead of" : "behind"}`;
    return wrong(`The database's clock is ${difference} this machine's`, {
      advice:
        "Correct this machine's clock (timedatectl set-ntp true); if it is right, report the database's",
    });
  },
};

/** Milliseconds by which the database's clock is ahead, assuming that it is read halfway through the round trip. */
async function measureSkew({ sql, now }: Project): Promise<number> {
  const before = now();
  const [{ at }] = await sql<[{ at: number }]>`
    select extract(epoch from clock_timestamp())::float8 * 1000 as at
  `;
  return at - (before + now()) / 2;
}
