import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { startPgBouncer } from "../../bench/harness/pgbouncer.ts";
import { openSql } from "../../run/local/sql.ts";
import { appliedMigrations, migrate, migrationFiles } from "../../run/local/migrate.ts";
import { eventually } from "../support/mailbox.ts";
import { createEmptyDatabase } from "../support/empty_database.ts";
import { openFolder } from "../support/folder.ts";
import { needing } from "../support/needing.ts";
import { makeMigrationsFolder } from "../support/migrations_folder.ts";

const refuses = (sql: Sql, folder: { path: string }, message: RegExp) =>
  assert.rejects(migrate(sql, folder.path), { name: "StackError", message });

/** Registers a test with an empty database and an empty folder of migrations. */
function test(
  title: string,
  run: (
    given: { sql: Sql; url: string; folder: Awaited<ReturnType<typeof makeMigrationsFolder>> },
  ) => Promise<void>,
): void {
  Deno.test(title, async () => {
    await using database = await createEmptyDatabase();
    await using folder = await makeMigrationsFolder();
    await run({ ...database, folder });
  });
}

/** The tables that a database has in its schema `public`. */
async function tablesOf(sql: Sql): Promise<string[]> {
  const rows = await sql`select tablename from pg_tables where schemaname = 'public' order by 1`;
  return rows.map((row) => row["tablename"]);
}

test("Migrations are applied once, in the order of their versions, and recorded with their statements", async ({ sql, folder }) => {
  await folder.add("2_more.sql", "alter table public.a add b int;\n-- Why\ncreate table public.b ();\n");
  await folder.add("1_first.sql", "create table public.a (id int);");
  await folder.add("notes.txt", "no SQL");
  assert.equal(await migrate(sql, folder.path), 2);
  assert.equal(await migrate(sql, folder.path), 0);
  await folder.add("3_last.sql", "create table public.c ()");
  assert.equal(await migrate(sql, folder.path), 1);
  assert.deepEqual(await tablesOf(sql), ["a", "b", "c"]);
  const rows =
    await sql`select version, name, statements from supabase_migrations.schema_migrations order by 1`;
  assert.deepEqual(rows.map((row) => Object.values(row)), [
    ["1", "first", ["create table public.a (id int)"]],
    ["2", "more", ["alter table public.a add b int", "-- Why\ncreate table public.b ()"]],
    ["3", "last", ["create table public.c ()"]],
  ]);
});

test("A migration that fails leaves nothing, and the error has its name, the line and the reason", async ({ sql, folder }) => {
  await folder.add("1_first.sql", "create table public.a ();");
  await folder.add("2_wrong.sql", "create table public.b ();\n\nselect nothing from public.b;\n");
  await folder.add("3_last.sql", "create table public.c ();");
  await refuses(sql, folder, /^The migration 2_wrong failed in line 3: column "nothing" does not exist$/);
  const versions = (await appliedMigrations(sql)).map(({ version }) => version);
  assert.deepEqual([await tablesOf(sql), versions], [["a"], ["1"]]);

  await folder.add(
    "2_wrong.sql",
    "select 1;\n-- Why\ndo $$ begin raise 'no' using detail = 'This', hint = 'That'; end $$;",
  );
  await refuses(
    sql,
    folder,
    /^The migration 2_wrong failed in line 3: no \(This; That; PL\/pgSQL function inline_code_block line 1/,
  );
  // The error must name the line of the second of two equal statements.
  await folder.add("2_wrong.sql", "create table public.b ();\nselect 1;\ncreate table public.b ();");
  await refuses(sql, folder, /^The migration 2_wrong failed in line 3: relation "b" already exists$/);
  await folder.add("2_wrong.sql", "create table public.b ();");
  assert.equal(await migrate(sql, folder.path), 2);
});

test("A migration that begins or ends a transaction is refused before it runs", async ({ sql, folder }) => {
  await folder.add("1_first.sql", "create table public.a ();\n-- Now\ncommit;\ncreate table public.b ();");
  await refuses(sql, folder, /^The migration 1_first begins or ends a/);
  assert.deepEqual(await tablesOf(sql), []);
});

test("A migration that gives up waiting for a lock is tried again, and requests go on meanwhile", async ({ sql, url, folder }) => {
  await sql`create table public.a (id int)`;
  await folder.add("1_first.sql", "set lock_timeout = '100ms'; alter table public.a add b int;");
  await using other = openSql(url, { max: 1 });
  const [locked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holder = other.begin(async (sql) => {
    await sql`lock public.a in access share mode`;
    locked.resolve();
    await held.promise;
  });
  await locked.promise;
  const migrated = migrate(sql, folder.path);
  const isWaiting = async () =>
    (await sql`select from pg_locks where relation = 'a'::regclass and not granted`).count > 0;
  await eventually(isWaiting, "the migration's wait");
  // The read waits behind the migration, and is answered when the migration gives up.
  await sql`select from public.a`;
  held.resolve();
  await holder;
  assert.equal(await migrated, 1);
});

test("An index is built outside a transaction, once, and again if an earlier try left an invalid one", async ({ sql, url, folder }) => {
  await sql`create table public.a as select n / 2 as id from generate_series(1, 100) n`;
  const unique = "-- One of each\ncreate unique index concurrently if not exists a_id on public.a (id);";
  await folder.add("1_unique.sql", unique);
  await refuses(
    sql,
    folder,
    /^The migration 1_unique failed in line 2: could not create unique index "a_id"/,
  );
  const [left] = await sql`select indisvalid from pg_index where indexrelid = 'a_id'::regclass`;
  assert.equal(left!["indisvalid"], false);
  await sql`delete from public.a a using public.a b where a.id = b.id and a.ctid > b.ctid`;
  await using other = openSql(url, { max: 1 });
  const counts = await Promise.all([sql, other].map((sql) => migrate(sql, folder.path)));
  assert.deepEqual(counts.sort(), [0, 1]);
  const [built] = await sql`select indisvalid from pg_index where indexrelid = 'a_id'::regclass`;
  assert.equal(built!["indisvalid"], true);
  assert.equal(await migrate(sql, folder.path), 0);

  await folder.add("2_both.sql", `${unique.replaceAll("a_id", "b_id")} create table public.b ();`);
  await refuses(
    sql,
    folder,
    /^The migration 2_both has a statement that cannot run in a transaction: move it/,
  );
  assert.deepEqual(await tablesOf(sql), ["a"]);
});

test("A setting that a migration changes does not affect the next migration, which waits two seconds for a lock", async ({ sql, url, folder }) => {
  await folder.add(
    "1_first.sql",
    "create schema elsewhere; set search_path = elsewhere; set lock_timeout = 0;",
  );
  await folder.add("2_second.sql", "create table a as select current_setting('lock_timeout') as waits;");
  await using connection = openSql(url, { max: 1 });
  assert.equal(await migrate(connection, folder.path), 2);
  assert.deepEqual(await tablesOf(sql), ["a"]);
  const [row] = await sql`select waits from public.a`;
  assert.equal(row!["waits"], "2s");
});

test("Nothing is applied if a migration that precedes an applied migration is missing, or if the database has an unknown migration", async ({ sql, folder }) => {
  await using older = await makeMigrationsFolder();
  await folder.add("1_first.sql", "create table public.a ();");
  await folder.add("3_third.sql", "create table public.c ();");
  await migrate(sql, folder.path);
  await folder.add("2_second.sql", "create table public.b ();");
  await folder.add("4_fourth.sql", "create table public.d ();");
  await refuses(sql, folder, /^No migration was applied\. 2_second is missing, and comes before 3,/);
  await older.add("1_first.sql", "create table public.a ();");
  assert.equal(await migrate(sql, older.path), 0);
  await older.add("4_fourth.sql", "create table public.d ();");
  await refuses(sql, older, /The database has migrations that this tree lacks \(3\)/);
  assert.deepEqual(await tablesOf(sql), ["a", "c"]);
});

test("Nothing is applied after an applied migration was edited, and the error names its file", async ({ sql, folder }) => {
  const first =
    "create table public.a ();\n-- Why\ncreate rule r as on insert to public.a do (select 1; select 2);";
  await folder.add("1_first.sql", first);
  await migrate(sql, folder.path);
  await folder.add("2_second.sql", "create table public.b ();");
  for (const edited of [`${first} create table public.c ();`, first.replace("select 2", "select 3")]) {
    await folder.add("1_first.sql", edited);
    await refuses(
      sql,
      folder,
      /^1_first\.sql was edited after the database applied it: restore the file that was deployed,/,
    );
    // The edit is refused even if no new migration is to be applied.
    await folder.remove("2_second.sql");
    await refuses(sql, folder, /^1_first\.sql was edited/);
    await folder.add("2_second.sql", "create table public.b ();");
  }
  assert.deepEqual(await tablesOf(sql), ["a"]);

  // Neither white space, nor how the statements were split, nor a record without statements counts as an edit.
  await folder.add("1_first.sql", first.replaceAll("\n", "\r\n\r\n"));
  const record = (statements: string[] | null) =>
    sql`update supabase_migrations.schema_migrations set statements = ${statements} where version = '1'`;
  for (const statements of [first.split(";").map((part) => part.trim()), [first], null]) {
    await record(statements);
    await migrate(sql, folder.path);
  }
  assert.deepEqual(await tablesOf(sql), ["a", "b"]);
});

test("Six processes that migrate an empty database at the same time apply each migration once", async ({ sql, url, folder }) => {
  // Each migration lasts long enough for the other processes to arrive.
  for (const version of [1, 2, 3, 4]) {
    await folder.add(`${version}_more.sql`, `create table public.t${version} (); select pg_sleep(0.1);`);
  }
  const counts = await Promise.all(Array.from({ length: 6 }, async () => {
    await using sql = openSql(url, { max: 1 });
    return await migrate(sql, folder.path);
  }));
  assert.equal(counts.reduce((total, count) => total + count), 4);
  assert.deepEqual(await tablesOf(sql), ["t1", "t2", "t3", "t4"]);
});

Deno.test(needing(["pgbouncer"], {
  name: "The migrations are applied through a pooler that may give each transaction another connection",
  async fn() {
    await using database = await createEmptyDatabase();
    await using folder = await openFolder();
    await using pooler = await startPgBouncer(database.url, folder.path);
    // Makes the pooler open two connections, either of which it may use. The client prepares no statements.
    await using sql = openSql(pooler.databaseUrl, { max: 2, prepare: false });
    await Promise.all([sql`select pg_sleep(0.1)`, sql`select pg_sleep(0.1)`]);
    assert.equal(await migrate(sql), (await migrationFiles()).length);
    assert.equal(await migrate(sql), 0);
  },
}));
