import type { Sql } from "postgres";
import { migrate } from "../local/migrate.ts";
import { checkEncryptionKey } from "./encryption_key.ts";
import { dispatcherUrl, readDispatcherSecrets, writeDispatcherSecrets } from "./dispatcher_secrets.ts";
import { secretTexts, type Settings } from "./environment.ts";
import { ensureFunctionsLogin } from "./functions_login.ts";
import { formatEnvFile, runSupabase } from "./supabase_cli.ts";
import { StackError } from "../local/stack_error.ts";

/** One step of a deployment. Running it again changes only what is wrong. */
export interface Step {
  /** What the step does, in the imperative; without secrets. */
  title: string;
  /** @param sql as the owner of the schema @returns what it changed */
  run(sql: Sql): Promise<string>;
}

export interface Options {
  /** Continue even if the stored signing secrets can no longer be decrypted. */
  replaceEncryptionKey: boolean;
}

/** The steps in order: first what can stop a deployment, last what serves clients. */
export function deploymentSteps(settings: Settings, options: Options): Step[] {
  const { projectRef, functionsUrl, region } = settings;
  const project = ["--project-ref", projectRef];
  const url = dispatcherUrl(functionsUrl, region);
  return [
    {
      title: "Compare WEBHOOK_ENCRYPTION_KEY with the stored signing secrets",
      async run(sql) {
        if (options.replaceEncryptionKey) return "left out";
        return await checkEncryptionKey(sql, settings.encryptionKey) ? "it decrypts them" : "there are none";
      },
    },
    {
      title: "Apply the migrations (as supabase db push, which sees them as applied)",
      async run(sql) {
        const applied = await migrate(sql);
        return applied === 0 ? "all were applied" : `${applied} applied`;
      },
    },
    {
      title: "Give the role crm_functions the password of FUNCTIONS_DATABASE_URL",
      run: async (sql) =>
        await ensureFunctionsLogin(sql, settings.functionsDatabaseUrl) ? "set" : "it has it already",
    },
    {
      title: `Put the dispatcher's address (${url}) and secret into the Vault`,
      async run(sql) {
        if (await readDispatcherSecrets(sql) === null) {
          throw new StackError(
            "The database has no Vault: create extension if not exists supabase_vault cascade;",
          );
        }
        const changed = await writeDispatcherSecrets(sql, { url, bearer: settings.dispatcherSecret });
        return changed.length === 0 ? "they are there already" : `set: ${changed.join(", ")}`;
      },
    },
    {
      title:
        `Set the functions' secrets (${Object.keys(settings.secrets).join(", ")}): supabase secrets set ` +
        `${project.join(" ")} --env-file /dev/stdin --yes`,
      async run() {
        await runSupabase({
          args: ["secrets", "set", ...project, "--env-file", "/dev/stdin"],
          stdin: formatEnvFile(settings.secrets),
          secrets: secretTexts(settings),
        });
        return "set";
      },
    },
    {
      title: `Deploy the functions: supabase functions deploy ${project.join(" ")} --use-api --yes`,
      async run() {
        const printed = await runSupabase({
          args: ["functions", "deploy", ...project, "--use-api"],
          secrets: secretTexts(settings),
        });
        return /^Deployed Functions .*$/m.exec(printed)?.[0] ?? "deployed";
      },
    },
  ];
}
