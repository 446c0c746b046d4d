import { FUNCTIONS, resources } from "../../../contract/resources.ts";
import { type Check, deployAgain, type Finding, fine, type Remedy, wrong } from "../check.ts";
import { probe, type Reply } from "../probe.ts";

const LOGS: Remedy = { advice: "Read its log in the dashboard: Edge Functions, the function, Logs" };

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
    const found = await Promise.all(names.map(async (name) => {
      const wanted = probeOf(name);
      const reply = await probe(`${functionsUrl}/${name}`, { method: wanted.method });
      return findReply(name, wanted, reply, deployAgain(project));
    }));
    return { findings: found.filter((finding) => finding !== null), note: `${names.length} asked` };
  },
};

/** The folders that the Supabase CLI deploys. */
export async function functionNames(): Promise<string[]> {
  const names: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(FUNCTIONS)) {
    if (isDirectory && !name.startsWith("_") && name !== "node_modules") names.push(name);
  }
  return names.sort();
}

function probeOf(name: string): Probe {
  if (name === "webhook-dispatcher") return { method: "POST", status: 401, code: "invalid_api_key" };
  switch (resources.find((resource) => resource.name === name)?.gate) {
    case "key":
      return { method: "GET", status: 401, code: "missing_api_key" };
    case "none":
      return { method: "GET", status: 200, code: null };
    default:
      // A link without its token, and the addresses that are announced and not live (spec 4.5).
      return { method: "GET", status: 404, code: "not_found" };
  }
}

function findReply(name: string, wanted: Probe, reply: Reply, again: Remedy): Finding | null {
  if (reply.error !== null) {
    return {
      message: `${name} cannot be reached: ${reply.error}`,
      remedy: { advice: "Correct --url: https://<ref>.supabase.co/functions/v1" },
    };
  }
  // That the functions work without their database is the finding of the check of the health.
  if (name === "api-v1-health" && reply.status === 503 && reply.body?.["database"]) return null;
  if (reply.status === wanted.status && reply.code === wanted.code) return null;
  if (reply.code !== null) {
    return {
      message: `${name} answers ${reply.status} ${reply.code} in place of ${wanted.status} ${
        wanted.code ?? ""
      }`.trim(),
      remedy: LOGS,
    };
  }
  return findPlatformReply(name, reply, again);
}

/** A reply without our envelope comes from the platform, or from another service. */
function findPlatformReply(name: string, { status, platformCode }: Reply, again: Remedy): Finding {
  const said = `${status}${platformCode ? ` ${platformCode}` : ""}`;
  if (status === 404) return { message: `${name} is not deployed (${said})`, remedy: again };
  if (status === 401) {
    return {
      message: `${name} was deployed with Supabase's JWT check on (${said}), which refuses our keys`,
      remedy: again,
    };
  }
  if (platformCode === "BOOT_ERROR") return { message: `${name} does not start (${said})`, remedy: LOGS };
  if (status === 546) return { message: `${name} ran out of memory or CPU (${said})`, remedy: LOGS };
  return { message: `${name} answers ${said}, which is not a reply of this service`, remedy: LOGS };
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
        {
          command: "deno task crm job run webhook-dispatch",
        },
      );
    }
    return status === 200 ? fine(`version ${body?.["version"]}`) : fine("not seen: see functions");
  },
};
