import { createHash } from "node:crypto";
import type { Sql } from "postgres";
import { functionNames } from "../local/function_names.ts";
import { migrate, missingMigrations } from "../local/migrate.ts";
import { splitStatements } from "../local/sql_statements.ts";
import { installNode } from "../nodes/install.ts";
import { dispatcherUrl, writeDispatcherSecrets } from "./dispatcher_secrets.ts";
import { checkEncryptionKey } from "./encryption_key.ts";
import { secretTexts, type Settings } from "./environment.ts";
import { canLogIn, ensureFunctionsLogin } from "./functions_login.ts";
import { locksOf } from "./locks.ts";
import { formatEnvFile, listSupabase, runSupabase } from "./supabase_cli.ts";

/** One step of a deployment. It may run any number of times. */
export interface Step {
  /** What the step does, in the imperative; without secrets. */
  title: string;
  /** Behind a proxy: whether the step runs at every node, instead of once at the proxy. */
  ofNodes?: true;
  /**
   * @param sql as the owner of the schema
   * @param node the number of the node; undefined for a single database, and for a proxy
   * @returns what it changed
   */
  run(sql: Sql, node: number | undefined): Promise<string>;
  /** Changes nothing. @param sql as the owner of the schema @returns lines that say what `run` would change */
  plan(sql: Sql): Promise<string[]>;
}

export interface Options {
  /** Continue even if the stored signing secrets can no longer be decrypted. */
  replaceEncryptionKey: boolean;
}

/** The steps in order: first a check that can stop the deployment, last the functions, which serve clients. */
export function deploymentSteps(settings: Settings, options: Options): Step[] {
  const { projectRef, functionsUrl, functionsDatabaseUrl, region } = settings;
  const project = ["--project-ref", projectRef];
  const secrets = secretTexts(settings);
  const url = dispatcherUrl(functionsUrl, region);
  const dispatcher = { url, bearer: settings.dispatcherSecret };
  const compareKey = async (sql: Sql) => {
    if (options.replaceEncryptionKey) return "skipped (--replace-encryption-key)";
    return await checkEncryptionKey(sql, settings.encryptionKey) ? "the key decrypts them" : "none is stored";
  };
  const changedSecrets = (names: string[]) => names.length === 0 ? "already set" : `set: ${names.join(", ")}`;
  return [
    {
      title: "Compare WEBHOOK_ENCRYPTION_KEY with the stored signing secrets",
      ofNodes: true,
      run: compareKey,
      plan: async (sql) => [await compareKey(sql)],
    },
    {
      title: "Apply the migrations, and record them as supabase db push does",
      ofNodes: true,
      async run(sql, node) {
        const applied = await migrate(sql);
        if (node !== undefined) await installNode(sql, node);
        return applied === 0 ? "all were applied" : `${applied} applied`;
      },
      plan: planMigrations,
    },
    {
      title: "Give the role crm_functions the password of FUNCTIONS_DATABASE_URL",
      run: async (sql) => await ensureFunctionsLogin(sql, functionsDatabaseUrl) ? "set" : "already set",
      plan: async () => [await canLogIn(functionsDatabaseUrl) ? "already set" : "set"],
    },
    {
      title: `Put the dispatcher's address (${url}) and secret into the Vault`,
      ofNodes: true,
      run: async (sql) => changedSecrets(await writeDispatcherSecrets(sql, dispatcher, false)),
      plan: async (sql) => [changedSecrets(await writeDispatcherSecrets(sql, dispatcher, true))],
    },
    {
      title:
        `Set the functions' secrets (${Object.keys(settings.secrets).join(", ")}): supabase secrets set ` +
        `${project.join(" ")} --env-file /dev/stdin --yes`,
      async run() {
        await runSupabase({
          args: ["secrets", "set", ...project, "--env-file", "/dev/stdin"],
          stdin: formatEnvFile(settings.secrets),
          secrets,
        });
        return "set";
      },
      async plan() {
        // Compares hashes, because Supabase shows the SHA-256 of a secret instead of its value.
        const present = await listSupabase<{ name: string; value: string }>({
          args: ["secrets", "list", ...project],
          secrets,
        });
        const digests = new Map(present.map(({ name, value }) => [name, value]));
        return [changedSecrets(
          Object.entries(settings.secrets)
            .filter(([name, value]) => digests.get(name) !== createHash("sha256").update(value).digest("hex"))
            .map(([name]) => name),
        )];
      },
    },
    {
      title: `Deploy the functions: supabase functions deploy ${project.join(" ")} --use-api --yes`,
      async run() {
        const printed = await runSupabase({
          args: ["functions", "deploy", ...project, "--use-api"],
          secrets,
        });
        return /^Deployed Functions .*$/m.exec(printed)?.[0] ?? "deployed";
      },
      async plan() {
        const present = await listSupabase<{ slug: string }>({
          args: ["functions", "list", ...project],
          secrets,
        });
        const deployed = new Set(present.map(({ slug }) => slug));
        const names = await functionNames();
        const added = names.filter((name) => !deployed.has(name));
        const left = [...deployed].filter((name) => !names.includes(name));
        return [
          `${names.length - added.length} uploaded again, if they changed`,
          ...added.length > 0 ? [`new: ${added.join(", ")}`] : [],
          ...left.length > 0 ? [`deployed but not in this tree, left as they are: ${left.join(", ")}`] : [],
        ];
      },
    },
  ];
}

/** The migrations that would be applied, with the locks that would make requests wait. */
async function planMigrations(sql: Sql): Promise<string[]> {
  const { missing, applied } = await missingMigrations(sql);
  if (missing.length === 0) return ["all are applied"];
  // In a database without migrations all tables are new, so nobody waits for their locks.
  const locks = applied === null ? null : await locksOf(missing);
  const lines: string[] = [];
  for (const { version, name, path } of missing) {
    const count = splitStatements(await Deno.readTextFile(path)).length;
    const waits = locks?.get(version);
    lines.push(`${version}_${name}: ${count} ${count === 1 ? "statement" : "statements"}`);
    if (locks !== null && waits === undefined) {
      lines.push("  runs outside a transaction, so its locks are not known");
    } else if (waits?.length === 0) lines.push("  nobody waits for its locks");
    else lines.push(...waits?.map((line) => `  ${line}`) ?? []);
  }
  return lines;
}
