// A real n8n with the packed node in it, on 127.0.0.1, with the stack's Postgres as its database.
import assert from "node:assert/strict";
import { join } from "node:path";
import { eventually } from "../../../bench/harness/waiting.ts";
import { freePort } from "../../../run/local/free_port.ts";
import { collectOutput } from "../../../run/local/output.ts";
import { killIfRunning } from "../../support/kill.ts";
import { deno, run } from "../../support/run.ts";

const FOLDER = join(import.meta.dirname!, "../n8n");
const N8N = join(FOLDER, "node_modules/n8n/bin/n8n");
/** n8n 2 does not start on Node 20, on which the other tests run. */
const NODE = "node@24.9.0";
/** Parts of n8n that would call other hosts, or that no workflow of the tests needs. */
const UNUSED = ["mcp-registry", "insights", "agents", "instance-ai", "chat-hub"];
const OWNER = { email: "ana@exemplo.com.br", firstName: "Ana", lastName: "Souza", password: "Segredo123456" };

/** Installs n8n without build scripts, which would compile SQLite or download it from a host other than npm. */
export async function installN8n(): Promise<void> {
  await deno(["install", "--quiet", "--no-lock"], { cwd: FOLDER });
}

/**
 * Starts n8n with a new owner.
 *
 * @param port on which it also receives webhooks, as `localhost`
 * @param userFolder where the node is installed, in `.n8n/nodes`
 * @param databaseUrl an empty database
 */
export async function startN8n(port: number, userFolder: string, databaseUrl: string) {
  const { stdout: node } = await run("npx", ["-y", NODE, "-p", "process.execPath"]);
  const database = new URL(databaseUrl);
  const child = new Deno.Command(node.trim(), {
    args: [N8N, "start"],
    env: {
      N8N_USER_FOLDER: userFolder,
      N8N_PORT: String(port),
      N8N_LISTEN_ADDRESS: "127.0.0.1",
      N8N_RUNNERS_BROKER_PORT: String(freePort()),
      N8N_DISABLED_MODULES: UNUSED.join(","),
      N8N_DIAGNOSTICS_ENABLED: "false",
      N8N_VERSION_NOTIFICATIONS_ENABLED: "false",
      N8N_VERIFIED_PACKAGES_ENABLED: "false",
      N8N_TEMPLATES_ENABLED: "false",
      N8N_SECURE_COOKIE: "false",
      DB_TYPE: "postgresdb",
      DB_POSTGRESDB_HOST: database.hostname,
      DB_POSTGRESDB_PORT: database.port,
      DB_POSTGRESDB_DATABASE: database.pathname.slice(1),
      DB_POSTGRESDB_USER: database.username,
      DB_POSTGRESDB_PASSWORD: database.password,
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const { ended, output: printed } = collectOutput(child);
  const origin = `http://localhost:${port}`;
  let cookie = "";
  /** Calls what n8n's pages call. */
  const call = async (method: string, path: string, body?: unknown) => {
    const reply = await fetch(`${origin}/rest${path}`, {
      method,
      headers: { "Content-Type": "application/json", cookie },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    assert.ok(reply.ok, `${method} ${path}: ${reply.status} ${text}`);
    cookie = reply.headers.getSetCookie().map((line) => line.split(";")[0]).join("; ") || cookie;
    return JSON.parse(text).data;
  };
  const stop = async () => {
    killIfRunning(child);
    const kill = setTimeout(() => killIfRunning(child, "SIGKILL"), 10_000);
    await ended;
    clearTimeout(kill);
  };
  try {
    await eventually(() => /Editor is now accessible/.test(printed()), "n8n", 120);
    await call("POST", "/owner/setup", OWNER);
  } catch (error) {
    await stop();
    throw new Error(printed(), { cause: error });
  }
  return {
    origin,
    call,
    /** Imports a workflow whose CRM nodes use these credentials; returns functions that turn it on and off. */
    async importWorkflow(workflow: { nodes: { type: string }[] }, credentials: { id: string; name: string }) {
      const nodes = workflow.nodes.map((node) =>
        node.type.startsWith("n8n-nodes-crm-api.") ? { ...node, credentials: { crmApi: credentials } } : node
      );
      const { id, versionId } = await call("POST", "/workflows", { ...workflow, nodes });
      return {
        activate: () => call("POST", `/workflows/${id}/activate`, { versionId }),
        deactivate: () => call("POST", `/workflows/${id}/deactivate`, {}),
      };
    },
    printed,
    [Symbol.asyncDispose]: stop,
  };
}
