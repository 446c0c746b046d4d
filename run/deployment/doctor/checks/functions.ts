import { resources } from "../../../../tools/resources.ts";
import { functionNames } from "../../../local/function_names.ts";
import { type Check, deployAgain, fine, type Remedy, skipped, wrong } from "../check.ts";
import { probe, type Reply } from "../probe.ts";
import { WAKE_DISPATCHER } from "./deliveries.ts";

const LOGS: Remedy = { advice: "Read its log in the dashboard: Edge Functions, the function, Logs" };
const CORRECT_URL: Remedy = { advice: "Correct --url: https://<ref>.supabase.co/functions/v1" };

/** A request that changes nothing, and the reply of a function that works. */
interface Probe {
  method: string;
  status: number;
  code: string | null;
}

/** Every function of the tree answers a request without credentials as it should. */
export const functions: Check = {
  name: "functions",
  needsDatabase: false,
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
    // One cause is one finding.
    if (first && faults.length === names.length && faults.every(({ says }) => says === first.says)) {
      return { ...wrong(`Each of the ${names.length} functions ${first.says}`, first.remedy), note };
    }
    return {
      findings: faults.map(({ name, says, remedy }) => ({ message: `${name} ${says}`, remedy })),
      note,
    };
  },
};

/** What is wrong with a function: a predicate of its name, and what mends it. */
interface Fault {
  says: string;
  remedy: Remedy;
}

function probeOf(name: string): Probe {
  if (name === "webhook-dispatcher") return { method: "POST", status: 401, code: "invalid_api_key" };
  // Before any key is looked at: MCP's clients ask for a stream by GET, and are to learn that there is none.
  if (name === "mcp") return { method: "GET", status: 405, code: "method_not_allowed" };
  switch (resources.find((resource) => resource.name === name)?.gate) {
    case "key":
      return { method: "GET", status: 401, code: "missing_api_key" };
    case "session":
      return { method: "GET", status: 401, code: "missing_session" };
    case "none":
      return { method: "GET", status: 200, code: null };
    default:
      // A link without its token, and the addresses that are announced and not live (spec 4.5).
      return { method: "GET", status: 404, code: "not_found" };
  }
}

function findFault(name: string, wanted: Probe, reply: Reply, again: Remedy): Fault | null {
  if (reply.error !== null) {
    return { says: `cannot be reached: ${reply.error}`, remedy: CORRECT_URL };
  }
  // That the functions work without their database is the finding of the check of the health.
  if (name === "api-v1-health" && reply.status === 503 && reply.body?.["database"]) return null;
  if (reply.status === wanted.status && reply.code === wanted.code) return null;
  if (reply.code !== null) {
    const expected = wanted.code === null ? `${wanted.status}` : `${wanted.status} ${wanted.code}`;
    return { says: `answers ${reply.status} ${reply.code} in place of ${expected}`, remedy: LOGS };
  }
  return findPlatformFault(reply, again);
}

/** A reply without our envelope comes from the platform, or from another service. */
function findPlatformFault({ status, platformCode }: Reply, again: Remedy): Fault {
  const said = `${status}${platformCode ? ` ${platformCode}` : ""}`;
  if (status === 404) return { says: `is not deployed (${said})`, remedy: again };
  if (status === 401) {
    return {
      says: `was deployed with Supabase's JWT check on (${said}), which refuses our keys`,
      remedy: again,
    };
  }
  if (platformCode === "BOOT_ERROR") return { says: `does not start (${said})`, remedy: LOGS };
  if (status === 546) return { says: `ran out of memory or CPU (${said})`, remedy: LOGS };
  return { says: `answers ${said}, which is not a reply of this service`, remedy: LOGS };
}

/** The service says itself that it reaches its database and that webhooks go out. */
export const health: Check = {
  name: "health",
  needsDatabase: false,
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
        "The health check says that webhooks are degraded: something has been due for over a minute",
        WAKE_DISPATCHER,
      );
    }
    return status === 200 ? fine(`version ${body?.["version"]}`) : skipped("see functions");
  },
};
