import { randomBytes } from "node:crypto";
import { installAuthSchema } from "../../run/local/auth/schema.ts";
import { freePort } from "../../run/local/free_port.ts";
import { startPostgres, stopPostgres, superuserUrl } from "../../run/local/postgres.ts";
import { startScheduler } from "../../run/local/scheduler.ts";
import { loadSecrets } from "../../run/local/secrets.ts";
import { openSql } from "../../run/local/sql.ts";
import { startHostedProject } from "./hosted_project.ts";
import { makeDataDir } from "./own_stack.ts";
import { createNet, createVault } from "./vault.ts";

export const PROJECT_REF = "abcdefghijklmnopqrst";
/** Different in each process, because a test searches the arguments of all processes for this token. */
export const ACCESS_TOKEN = `sbp_0${randomBytes(20).toString("hex").slice(1)}`;

/** A project to which nothing has been deployed. */
export type EmptyProject = Awaited<ReturnType<typeof startEmptyProject>>;

/** Starts what a new Supabase project has: Postgres with the Vault, pg_net and schema auth, and the management API. */
export async function startEmptyProject() {
  const dataDir = await makeDataDir();
  const stored = await loadSecrets(dataDir);
  const { databaseUrl } = await startPostgres(dataDir, stored);
  const admin = openSql(superuserUrl(databaseUrl, stored), { max: 1 });
  await createVault(admin);
  await createNet(admin);
  const owner = openSql(databaseUrl, { max: 1 });
  await installAuthSchema(owner).finally(() => owner.end());
  const hosted = await startHostedProject(ACCESS_TOKEN, freePort());
  // Runs the jobs, because the doctor checks that something runs them. This Postgres has no pg_cron.
  const scheduler = startScheduler({
    databaseUrl,
    origin: hosted.origin,
    dispatcherSecret: randomBytes(8).toString("hex"),
  });
  return {
    /** The owner's URL of a database without migrations. */
    databaseUrl,
    ownerPassword: stored.postgres_password,
    /** A client as the superuser. */
    admin,
    hosted,
    /** The URL with which crm_functions reaches the database. */
    functionsDatabaseUrl(password: string) {
      const url = new URL(databaseUrl);
      url.username = "crm_functions";
      url.password = encodeURIComponent(password);
      return url.href;
    },
    async [Symbol.asyncDispose]() {
      await scheduler.close();
      await hosted[Symbol.asyncDispose]();
      await admin.end();
      await stopPostgres(dataDir);
      await Deno.remove(dataDir, { recursive: true });
    },
  };
}
