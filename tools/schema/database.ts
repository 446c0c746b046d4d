import { PGlite } from "@electric-sql/pglite";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";

/** Runs `work` with an empty Postgres database in this process. */
export async function withDatabase<T>(work: (database: PGlite) => Promise<T>): Promise<T> {
  const database = await PGlite.create({ extensions: { pg_trgm } });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Runs a file of SQL. @throws Error that names the file */
export async function runFile(database: PGlite, name: string, sql: string): Promise<void> {
  // Settings of another file, or of a dump, must not affect this one.
  await database.exec("reset all; set check_function_bodies = off");
  // PGlite runs a file as one transaction, in which no index can be built concurrently. A plain index is as good,
  // because the tables are empty.
  await database.exec(sql.replaceAll(/\bindex concurrently\b/g, "index")).catch((error) => {
    throw new Error(`${name}: ${error.message}`, { cause: error });
  });
}
