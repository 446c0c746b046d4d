import { isLoopback } from "../../../../supabase/functions/_shared/runtime/service.ts";
import { type Check, deployAgain, fine, skipped, wrong } from "../check.ts";
import { probe, type Reply } from "../probe.ts";

const REQUEST_HEADERS = "authorization,x-workspace-id";

/** The functions accept requests from the console's pages. */
export const consoleOrigin: Check = {
  name: "console",
  withoutDatabase: true,
  async look(project) {
    const { appOrigin, functionsUrl } = project;
    if (appOrigin === null) {
      return wrong("APP_ORIGIN is not set, so proposal links lead nowhere and nobody can sign in", {
        advice:
          "Set APP_ORIGIN to the console's address, such as https://example.github.io/crm/console, and deploy",
      });
    }
    const { origin, protocol, hostname } = new URL(appOrigin);
    if (protocol !== "https:" && !isLoopback(hostname)) {
      return wrong("APP_ORIGIN is not https, so sessions would travel in clear text", {
        advice: "Set APP_ORIGIN to the console's https address, and deploy",
      });
    }
    const reply = await probe(`${functionsUrl}/app-v1-workspace`, {
      method: "OPTIONS",
      headers: {
        "Origin": origin,
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": REQUEST_HEADERS,
      },
    });
    if (reply.error !== null || reply.status === 404 || reply.platformCode !== null) {
      return skipped("app-v1-workspace does not answer: see functions");
    }
    if (reply.headers.get("access-control-allow-origin") === origin) return fine(appOrigin);
    return wrong(`The functions do not allow requests from pages of ${origin} (CORS)`, deployAgain(project));
  },
};

/** People can sign in: Supabase Auth has its tables in this database, and publishes keys to verify tokens. */
export const signIn: Check = {
  name: "sign-in",
  async look({ sql, functionsUrl }) {
    const [{ missing }] = await sql<[{ missing: string[] }]>`
      select array(
        select name from unnest(array['auth.users', 'auth.sessions']) as name where to_regclass(name) is null
      ) as missing
    `;
    if (missing.length > 0) {
      return wrong(`The database has no ${missing.join(" and no ")}, the tables of Supabase Auth`, {
        advice: "Deploy to a project of Supabase, whose database has the schema auth",
      });
    }
    const url = `${new URL(functionsUrl).origin}/auth/v1/.well-known/jwks.json`;
    const reply = await probe(url);
    const algorithms = algorithmsOf(reply);
    if (algorithms === null) {
      const said = reply.error ?? `it answers ${reply.status}`;
      return wrong(`The keys that verify tokens cannot be read at ${url}: ${said}`, {
        advice: "Check in the dashboard whether Auth is healthy: Project Settings, General, Service health",
      });
    }
    if (algorithms.some((algorithm) => /^(ES|RS)256$/.test(algorithm))) return fine(algorithms.join(", "));
    return wrong(
      "Supabase Auth signs tokens with a shared secret, so each call of the console also asks Supabase Auth",
      {
        advice:
          "In the dashboard, Project Settings, JWT Keys: create a standby key of type ECC (P-256), and rotate to it",
      },
    );
  },
};

/** The algorithms of the keys in a key set; null if the reply is not a key set. */
function algorithmsOf({ status, body }: Reply): string[] | null {
  const keys = body?.["keys"];
  if (status !== 200 || !Array.isArray(keys)) return null;
  return keys.flatMap(({ alg }: { alg?: unknown }) => typeof alg === "string" ? [alg] : []);
}
