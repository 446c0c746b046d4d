// The Supabase CLI and our own code must agree about applied migrations.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Sql } from "postgres";
import { runSupabase } from "../../run/deployment/supabase_cli.ts";
import { copyFolder } from "../../run/local/data_dir.ts";
import { appliedMigrations, editedMigrations, migrate, migrationFiles } from "../../run/local/migrate.ts";
import { createEmptyDatabase } from "../support/empty_database.ts";
import { openFolder } from "../support/folder.ts";
import { needing } from "../support/needing.ts";

const SUPABASE = join(import.meta.dirname!, "../../supabase");

/** SQL that is hard to split into statements. */
const HARD_TO_SPLIT = `
/* one; two */ -- three;
create function public.f() returns text language sql as $body$ select $$;$$::text; -- 'four;
$body$;
create function public.g(a int) returns int language sql begin atomic select 1; select a; end;
create table public."t;""u" (a text default 'it''s;', b int);
create rule r as on insert to public."t;""u" do also (select 1; select 2);
comment on table public."t;""u" is E'five\\\\;';;

select 'my_end'; -- at the end;
`;

/** Fills a project folder; returns a function that adds migrations to it. */
async function makeProject(folder: string) {
  const migrations = join(folder, "supabase/migrations");
  await Deno.mkdir(migrations, { recursive: true });
  await Deno.copyFile(join(SUPABASE, "config.toml"), join(folder, "supabase/config.toml"));
  // The CLI reads the files that config.toml names.
  await copyFolder(join(SUPABASE, "templates"), join(folder, "supabase/templates"));
  const files = await migrationFiles();
  return async (from: number, to?: number) => {
    for (const { path, version, name } of files.slice(from, to)) {
      await Deno.copyFile(path, join(migrations, `${version}_${name}.sql`));
    }
    if (to === undefined) {
      await Deno.writeTextFile(join(migrations, "30000101000000_hard_to_split.sql"), HARD_TO_SPLIT);
    }
  };
}

/** The rows, columns and constraints of the CLI's table. */
async function historyOf(sql: Sql) {
  const rows = await sql`select * from supabase_migrations.schema_migrations order by version`;
  const columns = await sql`
    select column_name, data_type, is_nullable, column_default from information_schema.columns
    where table_schema = 'supabase_migrations' order by table_name, ordinal_position`;
  const constraints = await sql`
    select conrelid::regclass::text as table, conname, pg_get_constraintdef(oid) as definition from pg_constraint
    where connamespace = 'supabase_migrations'::regnamespace order by conname`;
  return { rows: [...rows], columns: [...columns], constraints: [...constraints] };
}

Deno.test(needing(["the Supabase CLI"], {
  name:
    "supabase db push and the local stack see each other's migrations as applied, and record them in the same way",
  async fn() {
    await using ofCli = await createEmptyDatabase();
    await using inTurns = await createEmptyDatabase();
    await using project = await openFolder();
    const add = await makeProject(project.path);
    const push = ({ url }: { url: string }) =>
      runSupabase({
        args: ["db", "push", "--workdir", project.path, "--db-url", `${url}?sslmode=disable`],
      });
    const migrateProject = () => migrate(inTurns.sql, join(project.path, "supabase/migrations"));
    const { length } = await migrationFiles();
    const [first, second] = [Math.floor(length / 3), Math.floor(length * 2 / 3)];
    await add(0, first);
    assert.equal(await migrateProject(), first);
    assert.match(await push(inTurns), /Remote database is up to date/);

    await add(first, second);
    const pushed = await push(inTurns);
    assert.equal(pushed.match(/^Applying migration /gm)?.length, second - first, pushed);
    assert.equal(await migrateProject(), 0);

    await add(second);
    assert.equal(await migrateProject(), length - second + 1);
    assert.match(await push(inTurns), /Remote database is up to date/);

    const all = await push(ofCli);
    assert.equal(all.match(/^Applying migration /gm)?.length, length + 1, all);
    assert.deepEqual(await historyOf(inTurns.sql), await historyOf(ofCli.sql));
    const files = await migrationFiles(join(project.path, "supabase/migrations"));
    assert.deepEqual(await editedMigrations(files, await appliedMigrations(ofCli.sql)), []);
  },
}));
