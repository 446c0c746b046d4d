import { setTimeout } from "node:timers/promises";
import { setFunctionsPassword } from "../operator/functions_password.ts";
import { readPolicy } from "../../supabase/functions/_shared/webhooks/target_policy.ts";
import { AUTH_PREFIX, openLocalAuth, ROOT_METADATA_PATH } from "./auth/auth.ts";
import { hashPassword } from "./auth/passwords.ts";
import { installAuthSchema } from "./auth/schema.ts";
import { openConsole } from "./static/console.ts";
import { openDataDir } from "./data_dir.ts";
import { ensureDemoKey, ensureDemoUser } from "./demo_data.ts";
import { FUNCTIONS_FOLDER } from "./function_names.ts";
import { functionsDatabaseUrl, functionsPassword } from "./functions_login.ts";
import { openGateway } from "./gateway.ts";
import { MAIL_PATH, openMailService } from "./mail_service.ts";
import { migrate } from "./migrate.ts";
import { type Postgres, startPostgres } from "./postgres.ts";
import { openReference, REFERENCE_PREFIX } from "./static/reference.ts";
import { startScheduler } from "./scheduler.ts";
import { loadSecrets, saveSecrets, type Secrets } from "./secrets.ts";
import type { Settings } from "./settings.ts";
import { firstAnswer, openSql } from "./sql.ts";
import { copyBeforeUpgrade } from "./upgrade.ts";
import { firstLine, StackError } from "./stack_error.ts";
import { removeStackFile, type StackFile, writeStackFile } from "./stack_file.ts";

/** How a client uses the demo workspace. */
type Demo = Pick<StackFile, "demo_key" | "demo_email" | "demo_password">;

export interface Stack extends Omit<StackFile, "pid"> {
  stop(): Promise<void>;
}

/**
 * Starts the local stack: Postgres, migrations, demo data, every function, the scheduler.
 * @param signal aborts the start before its next step and stops what was started
 * @throws StackError for an error that the user can correct.
 */
export async function startStack(settings: Settings, signal: AbortSignal): Promise<Stack> {
  const { dataDir } = settings;
  const closers: (() => Promise<void> | void)[] = [];
  async function stop(): Promise<void> {
    for (let close = closers.pop(); close; close = closers.pop()) await close();
  }
  try {
    checkDevTargets();
    const lock = await openDataDir(dataDir);
    closers.push(() => lock.close());
    await removeStackFile(dataDir);
    const secrets = await loadSecrets(dataDir);

    let postgres: Postgres | null = null;
    // Stopped after the gateway, whose open requests need the database.
    closers.push(() => postgres?.stop());
    const gateway = openGateway(settings.port);
    closers.push(() => gateway.close());
    const appOrigin = settings.appOrigin ?? gateway.origin;
    setEnvironment(gateway.origin, appOrigin, secrets);
    // Loading the functions and starting Postgres take the most time, so they run in parallel.
    const { promise: prepared, resolve: openToRequests } = Promise.withResolvers<void>();
    const opened = gateway.openFunctions(FUNCTIONS_FOLDER, prepared);

    if (settings.databaseUrl === null) {
      postgres = await startPostgres(dataDir, secrets);
      postgres = await copyBeforeUpgrade(postgres, dataDir, secrets, remedyFor(settings));
    }
    const databaseUrl = postgres?.databaseUrl ?? settings.databaseUrl!;
    // The tests of nodes set STACK_FUNCTIONS_DATABASE_URL to the proxy. FUNCTIONS_DATABASE_URL is not read, because it
    // may name a deployment's database.
    Deno.env.set(
      "DATABASE_URL",
      Deno.env.get("STACK_FUNCTIONS_DATABASE_URL") || functionsDatabaseUrl(databaseUrl, secrets),
    );
    signal.throwIfAborted();
    const demo = await prepareDatabase(databaseUrl, settings, secrets, signal);
    signal.throwIfAborted();

    const auth = openLocalAuth({
      databaseUrl,
      dataDir,
      secrets,
      origin: gateway.origin,
      siteUrl: appOrigin,
      isOurs: demo.demo_email !== null,
    });
    closers.push(() => auth.close());
    gateway.serve(`${AUTH_PREFIX}/`, auth.handle);
    gateway.serve(ROOT_METADATA_PATH, auth.handle);
    gateway.serve(MAIL_PATH, openMailService(dataDir, secrets.service_key));
    const reference = openReference(gateway.origin);
    closers.push(() => reference.close());
    gateway.serve(REFERENCE_PREFIX, reference.handle);
    const consoleServer = openConsole();
    closers.push(() => consoleServer.close());
    gateway.serve("/", consoleServer.handle);
    openToRequests();
    await opened;
    const scheduler = startScheduler({
      databaseUrl,
      origin: gateway.origin,
      dispatcherSecret: Deno.env.get("WEBHOOK_DISPATCHER_SECRET")!,
    });
    closers.push(() => scheduler.close());
    signal.throwIfAborted();

    const file = {
      base_url: `${gateway.origin}/functions/v1`,
      database_url: databaseUrl,
      console_url: gateway.origin,
      ...demo,
    };
    await writeStackFile(dataDir, file);
    closers.push(() => removeStackFile(dataDir));
    return { ...file, stop };
  } catch (error) {
    await stop();
    // Ctrl-C also ends initdb and pg_ctl, so the interrupted step fails. The cause is then the signal, not this error; it
    // may reach this process a moment after the step has failed.
    await setTimeout(200);
    signal.throwIfAborted();
    throw error;
  }
}

/**
 * Time limit for connecting to the database, in seconds. On a busy machine, loading the functions blocks this process,
 * so the embedded database gets a long limit. The limit for a given address is short, to report a wrong address soon.
 */
const CONNECT_S = { own: 60, given: 5 };

/** What to do about an edited migration: start with an empty database. A released migration must not be edited. */
function remedyFor({ dataDir, databaseUrl }: Settings): string {
  return databaseUrl === null
    ? `delete ${dataDir}, or set DATA_DIR to another folder`
    : "set DATABASE_URL to an empty database";
}

/** Applies the migrations, lets the functions log in, and creates the demo data at the first start. */
async function prepareDatabase(
  databaseUrl: string,
  settings: Settings,
  secrets: Secrets,
  signal: AbortSignal,
): Promise<Demo> {
  const { dataDir, databaseUrl: given } = settings;
  const connect_timeout = given === null ? CONNECT_S.own : CONNECT_S.given;
  await using sql = openSql(databaseUrl, { max: 1, connect_timeout });
  // Also ends a statement that waits for a lock of another session.
  signal.addEventListener("abort", () => void sql.end({ timeout: 0 }));
  await firstAnswer(sql, sql`select 1`, connect_timeout).catch((error) => {
    throw new StackError(
      `The database cannot be reached (${firstLine(error)}): ` +
        "start it or correct DATABASE_URL, or unset DATABASE_URL to use the embedded one",
    );
  });
  // Begun now: hashing takes 50 ms on another thread, while this thread waits for the database.
  const passwordHash = hashPassword(secrets.demo_password);
  const remedy = remedyFor(settings);
  await migrate(sql, undefined, remedy);
  await setFunctionsPassword(sql, functionsPassword(databaseUrl, secrets));
  const demo_key = await ensureDemoKey(sql, secrets.demo_key);
  if (demo_key !== secrets.demo_key) await saveSecrets(dataDir, { ...secrets, demo_key });
  if (!await installAuthSchema(sql, remedy)) return { demo_key, demo_email: null, demo_password: null };
  const demo_email = await ensureDemoUser(sql, await passwordHash);
  return { demo_key, demo_email, demo_password: secrets.demo_password };
}

/** Sets the variables of the functions. On Supabase the platform and the project's secrets set them. */
function setEnvironment(origin: string, appOrigin: string, secrets: Secrets): void {
  // DATABASE_URL names the owner, as whom the functions must never connect. The stack has already read it.
  Deno.env.delete("DATABASE_URL");
  Deno.env.set("APP_ORIGIN", appOrigin);
  // Replaces the keys of a hosted project, which must not be sent to the gateway.
  Deno.env.set("SUPABASE_URL", origin);
  Deno.env.set("SUPABASE_SECRET_KEY", secrets.service_key);
  Deno.env.set("SUPABASE_PUBLISHABLE_KEY", "local");
  for (const name of ["SUPABASE_JWKS", "SUPABASE_SECRET_KEYS", "SUPABASE_PUBLISHABLE_KEYS"]) {
    Deno.env.delete(name);
  }
  const defaults = {
    // A direct connection supports named statements; only a transaction pooler does not.
    DATABASE_PREPARE: "true",
    // More than the default of 4, because locally one process serves every function.
    DATABASE_POOL_SIZE: "10",
    WEBHOOK_ENCRYPTION_KEY: secrets.webhook_encryption_key,
    WEBHOOK_DISPATCHER_SECRET: secrets.webhook_dispatcher_secret,
  };
  // If MAIL_URL is set, its service must not get the local token.
  const mail = Deno.env.get("MAIL_URL") ? {} : {
    MAIL_URL: `${origin}${MAIL_PATH}`,
    MAIL_TOKEN: secrets.service_key,
    MAIL_FROM: "CRM <crm@local.example>",
  };
  for (const [name, value] of Object.entries({ ...defaults, ...mail })) {
    if (!Deno.env.get(name)) Deno.env.set(name, value);
  }
}

/**
 * Checks WEBHOOK_DEV_TARGETS at the start. With a wrong value each call that creates a webhook would fail, and only the
 * log would say why.
 */
function checkDevTargets(): void {
  try {
    readPolicy(Deno.env.get("WEBHOOK_DEV_TARGETS") ?? "", "http://127.0.0.1");
  } catch (error) {
    throw new StackError(`${firstLine(error)}: set it to pairs such as 127.0.0.1:9000, or unset it`);
  }
}
