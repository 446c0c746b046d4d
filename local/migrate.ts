import { fileURLToPath } from "node:url";
import { join } from "node:path";
import type { Sql } from "postgres";
import { firstLine, StackError } from "./stack_error.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Never called. Deno installs the package of the Supabase CLI because of this literal import. */
export const installed = () => import("supabase");

/**
 * Applies the missing migrations of supabase/migrations with the Supabase CLI, as on Supabase. If the database has them
 * all, the CLI is not started, which saves its time.
 * @returns how many migrations were applied.
 * @throws StackError with the CLI's own output if one fails.
 */
export async function migrate(sql: Sql, databaseUrl: string): Promise<number> {
  const versions = (await migrationFiles()).map(({ version }) => version);
  const applied = await versionsInDatabase(sql);
  const missing = versions.filter((version) => !applied.has(version)).length;
  if (missing > 0) await push(databaseUrl);
  return missing;
}

/** The migrations of the tree. The version is the number that a name begins with. */
export async function migrationFiles(): Promise<{ name: string; path: string; version: string }[]> {
  const folder = join(ROOT, "supabase", "migrations");
  const files: { name: string; path: string; version: string }[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    const version = /^(\d+)_.+\.sql$/.exec(name)?.[1];
    if (version) files.push({ name, path: join(folder, name), version });
  }
  return files;
}

async function versionsInDatabase(sql: Sql): Promise<Set<string>> {
  const [table] =
    await sql`select to_regclass('supabase_migrations.schema_migrations') is not null as exists`;
  if (!table?.exists) return new Set();
  const rows = await sql<{ version: string }[]>`select version from supabase_migrations.schema_migrations`;
  return new Set(rows.map((row) => row.version));
}

async function push(databaseUrl: string): Promise<void> {
  const url = new URL(databaseUrl);
  // The CLI uses TLS by default, and a Postgres on the loopback interface usually has none.
  if (!url.searchParams.has("sslmode") && /^(127\.|localhost$|\[::1\]$)/.test(url.hostname)) {
    url.searchParams.set("sslmode", "disable");
  }
  // In the environment, because every user of the machine can read the arguments of a process.
  const password = decodeURIComponent(url.password);
  url.password = "";
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", join("node_modules", "supabase", "dist", "supabase.js")]
      .concat("db", "push", "--yes", "--db-url", url.href),
    cwd: ROOT,
    env: {
      SUPABASE_TELEMETRY_DISABLED: "1",
      DO_NOT_TRACK: "1",
      ...(password !== "" && { PGPASSWORD: password }),
    },
  }).output().catch((error) => {
    throw new StackError(`The Supabase CLI could not be run: ${firstLine(error)}`);
  });
  if (success) return;
  const decoder = new TextDecoder();
  const message = `${decoder.decode(stdout)}\n${decoder.decode(stderr)}`.trim();
  throw new StackError(`The migrations could not be applied. The Supabase CLI printed:\n${message}`);
}
