// Shared by the tests of deploy and doctor.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { ACCESS_TOKEN, PROJECT_REF } from "../support/empty_project.ts";
import { type Outcome, outcomeOf } from "../support/run.ts";

const FOLDER = join(import.meta.dirname!, "../../run/deployment");

/** The variables that a deployment needs. The functions use the same database, with a login of their own. */
export function deploymentVariables(databaseUrl: string): Record<string, string> {
  const functionsUrl = new URL(databaseUrl);
  functionsUrl.username = "crm_functions";
  functionsUrl.password = randomBytes(24).toString("hex");
  return {
    SUPABASE_ACCESS_TOKEN: ACCESS_TOKEN,
    SUPABASE_PROJECT_REF: PROJECT_REF,
    DATABASE_URL: databaseUrl,
    FUNCTIONS_DATABASE_URL: functionsUrl.href,
    WEBHOOK_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    WEBHOOK_DISPATCHER_SECRET: randomBytes(32).toString("hex"),
    APP_ORIGIN: "https://example.github.io/crm",
  };
}

/** Runs `deno task deploy` with exactly these variables, as a workflow does. */
export async function deploy(env: Record<string, string>, ...args: string[]) {
  const { PATH = "", HOME = "" } = Deno.env.toObject();
  return await runTask("deploy.ts", args, { clearEnv: true, env: { PATH, HOME, ...env } });
}

/** Runs a task of run/deployment/ as an operator does, and returns its exit code and what it printed. */
export async function runTask(
  script: "deploy.ts" | "doctor.ts",
  args: string[],
  env: Pick<Deno.CommandOptions, "env" | "clearEnv">,
): Promise<Outcome> {
  const command = ["run", "-A", "--no-check", "--quiet", join(FOLDER, script), ...args];
  return await outcomeOf(Deno.execPath(), command, env);
}
