import { FUNCTIONS_ROLE } from "../../../operator/functions_password.ts";
import { resources } from "../../../../tools/resources.ts";
import { functionNames } from "../../../local/function_names.ts";
import { type Check, deployAgain, fine, type Remedy, skipped, wrong } from "../check.ts";
import { probe, type Reply } from "../probe.ts";
import { WAKE_DISPATCHER } from "./deliveries.ts";

const LOGS: Remedy = { advice: "Read its log in the dashboard: Edge Functions, the function, Logs" };
const CORRECT_URL: Remedy = { advice: "Correct --url: https://<ref>.supabase.co/functions/v1" };

/** A request that changes nothing, and the expected reply. */
interface Probe {
  method: string;
  status: number;
  code: string | null;
}

/** Every function gives the expected answer to a request without credentials. */
export const functions: Check = {
  name: "functions",
  withoutDatabase: true,
  async look(project) {
    const { functionsUrl } = project;
    const names = await functionNames();
    const answers = await Promise.all(names.map(async (name) => {
      const wanted = probeOf(name);
      const reply = await probe(`${functionsUrl}/${name}`, { method: wanted.method });
      return { name, reply, fault: findFault(name, wanted, reply, deployAgain(project)) };
    }));
    const note = `${names.length} asked`;
    if (answers.every(({ reply }) => reply.status === 404 && reply.platformCode !== "NOT_FOUND")) {
      return { ...wrong(`No function is at ${functionsUrl}: each answers 404`, CORRECT_URL), note };
    }
    const faults = answers.flatMap(({ name, fault }) => fault === null ? [] : [{ name, ...fault }]);
    const [first] = faults;
    // Reports one finding if all functions fail in the same way.
    if (first && faults.length === names.length && faults.every(({ says }) => says === first.says)) {
      return { ...wrong(`Each of the ${names.length} functions ${first.says}`, first.remedy), note };
    }
    return {
      findings: faults.map(({ name, says, remedy }) => ({ message: `${name} ${says}`, remedy })),
      note,
    };
  },
};

/** What is wrong with a function (a sentence without its subject), and how to fix it. */
interface Fault {
  says: string;
  remedy: Remedy;
}

function probeOf(name: string): Probe {
  if (name === "webhook-dispatcher") return { method: "POST", status: 401, code: "invalid_api_key" };
  // MCP clients ask for a stream with GET. Even without a key the function answers that there is no stream.
  if (name === "mcp") return { method: "GET", status: 405, code: "method_not_allowed" };
  switch (resources.find((resource) => resource.name === name)?.gate) {
    case "key":
      return { method: "GET", status: 401, code: "missing_api_key" };
    case "session":
      return { method: "GET", status: 401, code: "missing_session" };
    case "none":
      return { method: "GET", status: 200, code: null };
    default:
      // The function of proposal links, called without a token; or a function that is not live yet (spec 4.5).
      return { method: "GET", status: 404, code: "not_found" };
  }
}

function findFault(name: string, wanted: Probe, reply: Reply, again: Remedy): Fault | null {
  if (reply.error !== null) {
    return { says: `cannot be reached: ${reply.error}`, remedy: CORRECT_URL };
  }
  // The check `health` reports that the functions do not reach the database.
  if (name === "api-v1-health" && reply.status === 503 && reply.body?.["database"]) return null;
  if (reply.status === wanted.status && reply.code === wanted.code) return null;
  if (reply.code !== null) {
    const expected = wanted.code === null ? `${wanted.status}` : `${wanted.status} ${wanted.code}`;
    return { says: `answers ${reply.status} ${reply.code} in place of ${expected}`, remedy: LOGS };
  }
  return findPlatformFault(reply, again);
}

/** Interprets a reply without our envelope: it comes from the platform or from another service. */
function findPlatformFault({ status, platformCode }: Reply, again: Remedy): Fault {
  const said = `${status}${platformCode ? ` ${platformCode}` : ""}`;
  if (status === 404) return { says: `is not deployed (${said})`, remedy: again };
  if (status === 401) {
    return {
      says: `was deployed with Supabase's JWT check on (${said}), which refuses API keys`,
      remedy: again,
    };
  }
  if (platformCode === "BOOT_ERROR") return { says: `does not start (${said})`, remedy: LOGS };
  if (status === 546) return { says: `ran out of memory or CPU (${said})`, remedy: LOGS };
  return { says: `answers ${said}, which is not a reply of this service`, remedy: LOGS };
}

/** The health check says that the functions reach their database and that webhooks are sent. */
export const health: Check = {
  name: "health",
  withoutDatabase: true,
  async look({ functionsUrl }) {
    const { status, body } = await probe(`${functionsUrl}/api-v1-health`);
    if (status === 503 && body?.["database"]) {
      return wrong("The functions do not reach their database", {
        advice:
          "Read the function's log; correct FUNCTIONS_DATABASE_URL or DATABASE_CA, and run deno task deploy",
      });
    }
    if (status === 200 && body?.["webhooks"] === "degraded") {
      return wrong(
        "The health check says that webhooks are degraded: a delivery has been due for over a minute",
        WAKE_DISPATCHER,
      );
    }
    return status === 200 ? fine(`version ${body?.["version"]}`) : skipped("see functions");
  },
};

/** The functions connect as crm_functions, which has few rights, and not as the owner. */
export const sessions: Check = {
  name: "functions' database user",
  async look(project) {
    const { sql, functionsUrl } = project;
    // Makes a function query the database, so that it has an open session.
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
        `The functions connect as ${others.join(", ")} instead of ${FUNCTIONS_ROLE}`,
        deployAgain(project),
      );
    }
    // A pooler is not the cause: it hides the application's name, but not the user.
    if (rows.length === 0) {
      return wrong(
        `The functions reach a database, but ${FUNCTIONS_ROLE} has no session in this one`,
        deployAgain(project),
      );
    }
    return fine();
  },
};
