/**
 * `deno task doctor`: checks a deployed project or the local stack, and says what is wrong and how to fix it. It
 * changes nothing. Exit code: 0 nothing is wrong, 1 something is wrong, 2 the checks could not begin.
 */
import { Command } from "commander";
import { checkDatabaseUrl, readSettings } from "../local/settings.ts";
import { firstLine, StackError } from "../local/stack_error.ts";
import { readStackFile } from "../local/stack_file.ts";
import { type Address, examine, formatReport } from "./doctor/examine.ts";
import { isLoopback } from "../../supabase/functions/_shared/runtime/service.ts";
import { taskArguments } from "./task_arguments.ts";

const program = new Command("deno task doctor")
  .description("Check a deployed project or the local stack, and say what is wrong and how to fix it.")
  .option(
    "--url <url>",
    "address of the functions: https://<ref>.supabase.co/functions/v1 (default: the local stack's)",
  )
  .option(
    "--database-url <url>",
    "address of the database for the owner of the schema (default: DATABASE_URL, which keeps the password out of the " +
      "list of processes; without it, the local stack's)",
  )
  .option("--json", "print JSON, for programs")
  .allowExcessArguments(false)
  .exitOverride(({ exitCode }) => Deno.exit(exitCode === 0 ? 0 : 2));

try {
  program.parse(taskArguments(), { from: "user" });
  const { url, databaseUrl, json } = program.opts();
  const diagnosis = await examine(await findProject(url, databaseUrl));
  console.log(json ? JSON.stringify(diagnosis, null, 2) : formatReport(diagnosis));
  Deno.exit(diagnosis.ok ? 0 : 1);
} catch (error) {
  console.error(`error: ${error instanceof StackError ? error.message : firstLine(error)}`);
  Deno.exit(2);
}

/** Both addresses must belong to the same project, so the local stack's addresses are used only if neither is given. */
async function findProject(url: string | undefined, databaseUrl: string | undefined): Promise<Address> {
  const region = Deno.env.get("FUNCTIONS_REGION") || null;
  const appOrigin = Deno.env.get("APP_ORIGIN") || null;
  // If --database-url is given, an unusable DATABASE_URL must not stop the doctor.
  const database = databaseUrl === undefined
    ? readSettings().databaseUrl
    : checkDatabaseUrl("--database-url", databaseUrl);
  if (url !== undefined) checkUrl(url);
  if (url !== undefined && database !== null) {
    return { functionsUrl: url, databaseUrl: database, region, appOrigin };
  }
  if (url !== undefined) throw new StackError("Set DATABASE_URL to the database of the project in --url");
  if (database !== null) {
    throw new StackError("Give --url, the address of the functions that use DATABASE_URL");
  }
  const stack = await readStackFile(readSettings().dataDir);
  return {
    functionsUrl: stack.base_url,
    databaseUrl: stack.database_url,
    region: null,
    appOrigin: stack.console_url,
  };
}

/** Refuses http, except to this machine, because the doctor sends the dispatcher's secret to the address. */
function checkUrl(text: string): void {
  if (!URL.canParse(text)) throw new StackError("--url is not a URL");
  const url = new URL(text);
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))) return;
  throw new StackError("--url is not https, so keys would travel in clear text");
}
