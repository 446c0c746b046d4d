import { join } from "node:path";
import type { ISql } from "postgres";
import { applyMigration, createHistory, type Migration, migrationFiles } from "../local/migrate.ts";
import { startPostgres, stopPostgres } from "../local/postgres.ts";
import { loadSecrets } from "../local/secrets.ts";
import { openSql } from "../local/sql.ts";

/** The lock modes that make requests wait, strongest first, each with what waits for it. */
const WAITS = {
  AccessExclusiveLock: "reads and writes wait",
  ExclusiveLock: "writes wait",
  ShareRowExclusiveLock: "writes wait",
  ShareLock: "writes wait",
};

/**
 * Finds the locks that would make requests wait, by applying all migrations to an empty Postgres on this machine. An
 * empty database suffices, because the locks of a statement do not depend on the rows.
 * @param missing the migrations that a database lacks; only their folder matters
 * @returns for each migration that runs in a transaction, by its version, a line for each locked table
 */
export async function locksOf(missing: readonly Migration[]): Promise<Map<string, string[]>> {
  const dataDir = await Deno.makeTempDir({ prefix: "crm-plan-" });
  // Under root, Postgres runs as another user, who must be able to enter the folder.
  await Deno.chmod(dataDir, 0o711);
  try {
    const { databaseUrl } = await startPostgres(dataDir, await loadSecrets(dataDir));
    await using sql = openSql(databaseUrl, { max: 1 });
    await createHistory(sql);
    const lines = new Map<string, string[]>();
    for (const migration of await migrationFiles(join(missing[0]!.path, ".."))) {
      const tables = await tablesOf(sql);
      await applyMigration(
        sql,
        migration,
        async (sql) => void lines.set(migration.version, await waits(sql, tables)),
      );
    }
    return lines;
  } finally {
    await stopPostgres(dataDir);
    await Deno.remove(dataDir, { recursive: true });
  }
}

/** The file number of each table in our schemas, by the table's id: a rewrite of all rows changes the number. */
async function tablesOf(sql: ISql): Promise<Map<number, number>> {
  const rows = await sql<{ oid: number; file: number }[]>`
    select c.oid, c.relfilenode as file from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and n.nspname in ('crm', 'api', 'app')`;
  return new Map(rows.map(({ oid, file }) => [oid, file]));
}

/** A line for each table on which this transaction holds a lock that makes requests wait. */
async function waits(sql: ISql, before: Map<number, number>): Promise<string[]> {
  const held = await sql<{ oid: number; name: string; mode: keyof typeof WAITS }[]>`
    select l.relation as oid, l.relation::regclass::text as name, l.mode from pg_locks l
    where l.pid = pg_backend_pid() and l.relation = any (${sql.array([...before.keys()])}::oid[])
      and l.mode = any (${sql.array(Object.keys(WAITS))})
    order by 2, array_position(${sql.array(Object.keys(WAITS))}, l.mode)`;
  const after = await tablesOf(sql);
  const strongest = new Map(held.toReversed().map((lock) => [lock.oid, lock]));
  return [...strongest.values()].toSorted((a, b) => a.name < b.name ? -1 : 1).map(({ oid, name, mode }) =>
    `${name}: ${mode}, ${WAITS[mode]}${
      after.get(oid) === before.get(oid) ? "" : " while all its rows are rewritten"
    }`
  );
}
