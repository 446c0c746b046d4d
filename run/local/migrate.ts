import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import postgres, { type Sql } from "postgres";
import { hasTable } from "./sql.ts";
import { controlsTransaction, runsAlone, splitStatements, withoutComments } from "./sql_statements.ts";
import { firstLine, StackError } from "./stack_error.ts";

const FOLDER = fileURLToPath(new URL("../../supabase/migrations", import.meta.url));

export interface Migration {
  /** The number at the start of the file's name. */
  version: string;
  /** The rest of the file's name, without `.sql`. */
  name: string;
  path: string;
}

export interface AppliedMigration {
  version: string;
  /** Null if `supabase migration repair` wrote the row. */
  statements: string[] | null;
}

/** What to do about an edited migration if the data must be kept. */
const RESTORE = "restore the file that was deployed, and make the change in a new migration";

/** How long a migration waits for a lock before a retry: short, because requests wait behind the migration. */
const LOCK_TIMEOUT = "2s";
const TRIES = 20;
const PAUSE_MS = 500;

/**
 * Applies the missing migrations in order, each in a transaction if its statements allow a transaction. Records them
 * exactly as the Supabase CLI does, so that the CLI sees them as applied.
 * @param remedy what the user should do about an edited migration
 * @returns how many migrations were applied.
 * @throws StackError with file and line if a migration fails: the migrations before it stay applied. StackError with
 * the file if an applied migration was edited: no migration is applied then.
 */
export async function migrate(sql: Sql, folder: string = FOLDER, remedy: string = RESTORE): Promise<number> {
  const { missing, applied } = await missingMigrations(sql, folder, remedy);
  if (missing.length > 0 && applied === null) await createHistory(sql);
  let count = 0;
  for (const migration of missing) if (await applyMigration(sql, migration)) count++;
  return count;
}

/**
 * The migrations that a database lacks, in order.
 * @returns `applied`: the last migration in the database, or null. `unknown`: migrations that this tree lacks
 * @throws StackError if an applied migration was edited, or if `refuseGaps` refuses to apply the missing ones
 */
export async function missingMigrations(
  sql: Sql,
  folder: string = FOLDER,
  remedy: string = RESTORE,
): Promise<{ missing: Migration[]; applied: string | null; unknown: string[] }> {
  const migrations = await migrationFiles(folder);
  const applied = await appliedMigrations(sql);
  const [edited] = await editedMigrations(migrations, applied);
  if (edited !== undefined) throw editedFile(edited, remedy);
  const versions = applied.map(({ version }) => version);
  const missing = migrations.filter(({ version }) => !versions.includes(version));
  const unknown = versions.filter((version) =>
    !migrations.some((migration) => migration.version === version)
  );
  if (missing.length > 0) refuseGaps(unknown, versions, missing[0]!);
  return { missing, applied: versions.at(-1) ?? null, unknown };
}

/** The error for a file of SQL that was edited after a database applied it. */
export function editedFile(file: string, remedy: string): StackError {
  return new StackError(`${file} was edited after the database applied it: ${remedy}`);
}

export async function migrationFiles(folder: string = FOLDER): Promise<Migration[]> {
  const files: Migration[] = [];
  for await (const { name: file } of Deno.readDir(folder)) {
    const [, version, name] = /^(\d+)_(.*)\.sql$/.exec(file) ?? [];
    if (version && name !== undefined) files.push({ version, name, path: join(folder, file) });
  }
  return files.sort((a, b) => a.version < b.version ? -1 : 1);
}

export async function appliedMigrations(sql: Sql): Promise<AppliedMigration[]> {
  if (!await hasTable(sql, "supabase_migrations.schema_migrations")) return [];
  return await sql<AppliedMigration[]>`
    select version, statements from supabase_migrations.schema_migrations order by version
  `;
}

/** The names of the files that differ from what the database recorded when they were applied. */
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
 * SQL without semicolons and with single spaces. Versions of the Supabase CLI split SQL into statements differently,
 * and this must not count as an edit.
 */
function comparable(sql: string): string {
  return sql.replace(/[\s;]+/g, " ").trim();
}

/** Refuses missing migrations if the database has unknown or later ones: another order can give another schema. */
function refuseGaps(unknown: string[], applied: string[], firstMissing: Migration): void {
  if (unknown.length > 0) {
    throw new StackError(
      `No migration was applied. The database has migrations that this tree lacks (${unknown.join(", ")}): ` +
        "check out the release that applied them, or a later one",
    );
  }
  const last = applied.at(-1) ?? "";
  if (firstMissing.version < last) {
    throw new StackError(
      `No migration was applied. ${firstMissing.version}_${firstMissing.name} is missing, and comes before ${last}, ` +
        "which the database has. If the file is new, give it a later number",
    );
  }
}

/** Creates the table in which the Supabase CLI records migrations. */
export async function createHistory(sql: Sql): Promise<void> {
  await sql.begin(async (sql) => {
    // Without the lock, one of two concurrent calls would fail: `if not exists` does not see uncommitted tables.
    await sql`select pg_advisory_xact_lock(hashtext('supabase_migrations'))`;
    await sql`create schema if not exists supabase_migrations`;
    await sql`
      create table if not exists supabase_migrations.schema_migrations
        (version text not null primary key, statements text[], name text)
    `;
  });
}

/**
 * Applies one migration.
 * @param beforeCommit called with the transaction before its commit, if the migration runs in a transaction
 * @returns false if another process has applied it in the meantime
 */
export async function applyMigration(
  sql: Sql,
  migration: Migration,
  beforeCommit?: (sql: postgres.ISql) => Promise<void>,
): Promise<boolean> {
  const title = `The migration ${migration.version}_${migration.name}`;
  const text = await Deno.readTextFile(migration.path);
  const statements = splitStatements(text);
  if (statements.some(controlsTransaction)) {
    throw new StackError(
      `${title} begins or ends a transaction: remove that statement, because each migration runs in a transaction`,
    );
  }
  const alone = statements.filter(runsAlone);
  if (alone.length > 0 && statements.length > 1) {
    throw new StackError(
      `${title} has a statement that cannot run in a transaction: move it to a migration of its own`,
    );
  }
  for (let tries = 1;; tries++) {
    // The position at which the running statement begins in the file; null before the first and after the last.
    let at: number | null = null;
    try {
      if (alone.length > 0) {
        at = text.indexOf(alone[0]!);
        return await applyAlone(sql, migration, alone[0]!);
      }
      return await sql.begin(async (sql) => {
        // Recorded first, so that another process with the same migration waits here, and then skips the migration.
        if (!await record(sql, migration, statements)) return false;
        // Settings of an earlier migration, or of another client of a pooler, must not affect this one.
        await sql`reset all`;
        await sql.unsafe(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
        // Runs the statements one by one, because Postgres gives a position only for some errors.
        let end = 0;
        for (const statement of statements) {
          at = text.indexOf(statement, end);
          end = at + statement.length;
          await sql.unsafe(statement);
        }
        at = null;
        await beforeCommit?.(sql);
        return true;
      });
    } catch (error) {
      const { code } = error as { code?: string };
      if (tries === TRIES || code !== LOCK_NOT_AVAILABLE && code !== DEADLOCK_DETECTED) {
        throw new StackError(`${title} failed${describe(error, text, at)}`);
      }
      if (tries === 1) {
        console.log(`${title} waits for a lock that another session holds: it is retried for up to a minute`);
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

const LOCK_NOT_AVAILABLE = "55P03";
const DEADLOCK_DETECTED = "40P01";

/**
 * Applies a migration of one statement outside a transaction, and then records it. A failed `create index concurrently`
 * leaves an invalid index. The next try drops that index first.
 */
async function applyAlone(sql: Sql, migration: Migration, statement: string): Promise<boolean> {
  const connection = await sql.reserve();
  try {
    // Polls for the lock, which another process holds until it has recorded the migration. Waiting in a statement would
    // hold a snapshot, and the other process's index build waits until no older snapshot is left.
    const lock = `supabase_migrations ${migration.version}`;
    for (;;) {
      const [{ locked }] = await connection<[{ locked: boolean }]>`
        select pg_try_advisory_lock(hashtext(${lock})) as locked`;
      if (locked) break;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    const [found] = await connection`
      select from supabase_migrations.schema_migrations where version = ${migration.version}`;
    if (found !== undefined) return false;
    await connection`reset all`;
    const [, index, table] = BUILT.exec(statement) ?? [];
    if (index !== undefined && table !== undefined) {
      const schema = table.includes(".") ? table.split(".")[0] : "public";
      const [left] = await connection`
        select from pg_index i where i.indexrelid = to_regclass(${`${schema}.${index}`}) and not i.indisvalid`;
      if (left !== undefined) await connection.unsafe(`drop index concurrently ${schema}.${index}`);
    }
    await connection.unsafe(statement);
    return await record(connection, migration, [statement]);
  } finally {
    await connection`select pg_advisory_unlock_all()`;
    connection.release();
  }
}

/** The index that a statement builds, and its table. */
const BUILT = /create\s+(?:unique\s+)?index\s+concurrently\s+(?:if\s+not\s+exists\s+)?(\w+)\s+on\s+([\w.]+)/i;

/** Records a migration as the Supabase CLI does. Returns false if it is recorded already. */
async function record(
  sql: postgres.ISql,
  { version, name }: Migration,
  statements: string[],
): Promise<boolean> {
  const { count } = await sql`
    insert into supabase_migrations.schema_migrations (version, name, statements)
    values (${version}, ${name}, ${sql.array(statements)})
    on conflict do nothing
  `;
  return count > 0;
}

/**
 * The line and the reason of a failure, with the details that Postgres gives.
 * @param at where the statement that failed begins in the file; null if none of the file's statements failed
 */
function describe(error: unknown, text: string, at: number | null): string {
  if (!(error instanceof postgres.PostgresError)) return `: ${firstLine(error)}`;
  const { message, position, detail, hint, where } = error;
  let line = "";
  if (at !== null) {
    const statement = text.slice(at);
    const offset = position ? Number(position) - 1 : statement.length - withoutComments(statement).length;
    line = ` in line ${text.slice(0, at + offset).split("\n").length}`;
  }
  const more = [detail, hint, where?.replaceAll("\n", ", ")].filter(Boolean).join("; ");
  return `${line}: ${message}${more && ` (${more})`}`;
}
