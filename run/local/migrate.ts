import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import postgres, { type Sql } from "postgres";
import { controlsTransaction, splitStatements } from "./sql_statements.ts";
import { firstLine, StackError } from "./stack_error.ts";

const FOLDER = fileURLToPath(new URL("../../supabase/migrations", import.meta.url));

/** One file of supabase/migrations. */
export interface Migration {
  /** The number that the file's name begins with. */
  version: string;
  /** The rest of the file's name, without `.sql`. */
  name: string;
  path: string;
}

/** A migration that a database has. */
export interface AppliedMigration {
  version: string;
  /** Null where `supabase migration repair` wrote the row. */
  statements: string[] | null;
}

/** What to do about an edited migration where the data must stay. */
const RESTORE = "restore the file that was deployed, and make the change in a new migration";

/**
 * Applies the missing migrations of a folder in their order, each in one transaction, and records them where the Supabase
 * CLI does and as it does, so that each sees what the other has applied.
 * @param remedy what the user should do about an edited migration
 * @returns how many migrations were applied.
 * @throws StackError naming file and line if one fails; those before it stay applied. StackError naming the file if one
 * was edited after it was applied, because it would not be applied again; then nothing is applied.
 */
export async function migrate(sql: Sql, folder: string = FOLDER, remedy: string = RESTORE): Promise<number> {
  const migrations = await migrationFiles(folder);
  const applied = await appliedMigrations(sql);
  const [edited] = await editedMigrations(migrations, applied);
  if (edited !== undefined) throw editedFile(edited, remedy);
  const versions = applied.map(({ version }) => version);
  const missing = migrations.filter(({ version }) => !versions.includes(version));
  if (missing.length === 0) return 0;
  refuseGaps(migrations, versions, missing[0]!);
  if (applied.length === 0) await createHistory(sql);
  let count = 0;
  for (const migration of missing) if (await apply(sql, migration)) count++;
  return count;
}

/** The error for a file of SQL that was edited after a database applied it. */
export function editedFile(file: string, remedy: string): StackError {
  return new StackError(`${file} was edited after the database applied it: ${remedy}`);
}

/** The migrations of a folder, in the order of their versions. */
export async function migrationFiles(folder: string = FOLDER): Promise<Migration[]> {
  const files: Migration[] = [];
  for await (const { name: file } of Deno.readDir(folder)) {
    const [, version, name] = /^(\d+)_(.*)\.sql$/.exec(file) ?? [];
    if (version && name !== undefined) files.push({ version, name, path: join(folder, file) });
  }
  return files.sort((a, b) => a.version < b.version ? -1 : 1);
}

/** The migrations that a database has, in their order; none where no migration was ever applied. */
export async function appliedMigrations(sql: Sql): Promise<AppliedMigration[]> {
  const [table] =
    await sql`select to_regclass('supabase_migrations.schema_migrations') is not null as exists`;
  if (!table?.["exists"]) return [];
  return await sql<AppliedMigration[]>`
    select version, statements from supabase_migrations.schema_migrations order by version
  `;
}

/** The names of the files that are not what the database recorded when it applied them. */
export async function editedMigrations(
  migrations: Migration[],
  applied: AppliedMigration[],
): Promise<string[]> {
  const recorded = new Map(applied.map(({ version, statements }) => [version, statements]));
  const edited: string[] = [];
  for (const { version, path } of migrations) {
    const statements = recorded.get(version) ?? null;
    if (statements === null) continue;
    if (comparable(statements.join(" ")) !== comparable(await Deno.readTextFile(path))) {
      edited.push(basename(path));
    }
  }
  return edited;
}

/**
 * SQL without what a split into statements leaves out, the semicolons and the white space around them, so that it does not
 * matter who recorded the statements and where a version of the Supabase CLI splits them.
 */
function comparable(sql: string): string {
  return sql.replace(/[\s;]+/g, " ").trim();
}

/** As `supabase db push`: a schema that came about in another order may be another schema. */
function refuseGaps(migrations: Migration[], applied: string[], firstMissing: Migration): void {
  const unknown = applied.filter((version) => !migrations.some((migration) => migration.version === version));
  if (unknown.length > 0) {
    throw new StackError(
      `No migration was applied: the database has some that this tree has not (${unknown.join(", ")})`,
    );
  }
  const last = applied.at(-1) ?? "";
  if (firstMissing.version < last) {
    throw new StackError(
      `No migration was applied: ${firstMissing.version}_${firstMissing.name} is missing, and comes before ${last}, ` +
        "which the database has",
    );
  }
}

/** The table of the Supabase CLI, with its columns in their order. */
async function createHistory(sql: Sql): Promise<void> {
  await sql.begin(async (sql) => {
    // Of two that create it at the same time one would fail: `if not exists` does not see what is not committed.
    await sql`select pg_advisory_xact_lock(hashtext('supabase_migrations'))`;
    await sql`create schema if not exists supabase_migrations`;
    await sql`
      create table if not exists supabase_migrations.schema_migrations
        (version text not null primary key, statements text[], name text)
    `;
  });
}

/** Applies one migration. Returns false if another process has applied it since. */
async function apply(sql: Sql, { version, name, path }: Migration): Promise<boolean> {
  const text = await Deno.readTextFile(path);
  const statements = splitStatements(text);
  if (statements.some(controlsTransaction)) {
    throw new StackError(
      `The migration ${version}_${name} begins or ends a transaction: each has one, which is not its own`,
    );
  }
  return await sql.begin(async (sql) => {
    // Recorded first: whoever applies the same migration now waits here, and then finds it.
    const recorded = await sql`
      insert into supabase_migrations.schema_migrations (version, name, statements)
      values (${version}, ${name}, ${sql.array(statements)})
      on conflict do nothing
    `;
    if (recorded.count === 0) return false;
    // What an earlier migration, or another client of a pooler, has set must not change what this one means.
    await sql`reset all`;
    await sql.unsafe(text).catch((error) => {
      throw new StackError(`The migration ${version}_${name} failed${describe(error, text)}`);
    });
    return true;
  });
}

/** Where a migration failed and why, with what else Postgres says. */
function describe(error: unknown, text: string): string {
  if (!(error instanceof postgres.PostgresError)) return `: ${firstLine(error)}`;
  const { message, position, detail, hint, where } = error;
  const line = position ? ` in line ${text.slice(0, Number(position) - 1).split("\n").length}` : "";
  const more = [detail, hint, where?.replaceAll("\n", ", ")].filter(Boolean).join("; ");
  return `${line}: ${message}${more && ` (${more})`}`;
}
