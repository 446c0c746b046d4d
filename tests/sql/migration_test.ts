// What a contributor does after a release: edit supabase/schemas, and let deno task migration write the next migration.
import assert from "node:assert/strict";
import { join } from "node:path";
import { copyFolder } from "../../run/local/data_dir.ts";
import { migrate } from "../../run/local/migrate.ts";
import { createEmptyDatabase } from "../support/empty_database.ts";
import { openFolder } from "../support/folder.ts";
import { needing } from "../support/needing.ts";
import { outcomeOf } from "../support/run.ts";

const ROOT = join(import.meta.dirname!, "../..");
const COPIED = ["tools/rights", "tools/schema", "tools/records"];
/**
 * The file with roles and schemas. The test adds its own verbs to it, because the whole schema would take ten times as
 * long.
 */
const ROLES = "supabase/schemas/10_roles_and_helpers.sql";

/** One object of each kind, as it is released. */
const RELEASED = `
create table crm.event_types (event text primary key);
create table crm.jobs (name text primary key);
create function api.thing_list() returns json language sql as $$ select '[]'::json $$;
create function app.thing_list() returns json language sql as $$ select '[]'::json $$;
create function crm.run_verb(p_verb text) returns json language plpgsql security definer as $$
begin return api.thing_list(); end $$;
create function crm.run_app_verb(p_verb text) returns json language plpgsql security definer as $$
begin return app.thing_list(); end $$;
grant create on schema crm to crm_api, crm_app;
alter function crm.run_verb(text) owner to crm_api;
alter function crm.run_app_verb(text) owner to crm_app;
revoke create on schema crm from crm_api, crm_app;
create type api.thing as (id uuid, name text);
comment on type api.thing is 'A thing';
create type crm.thing_size as (width integer, height integer);
create table crm.things (id uuid primary key, name text not null);
alter table crm.things enable row level security;
create function crm.thing_is_shown(p_name text) returns boolean language sql immutable as $$ select p_name <> '' $$;
create function crm.thing_area(s crm.thing_size) returns integer language sql immutable as $$ select s.width * s.height $$;
create function crm.thing_kept(p_name text) returns text language plpgsql as $$ begin return p_name; end $$;
create function crm.thing_old() returns text language plpgsql as $$ begin return 'old'; end $$;
comment on function crm.thing_old() is 'Goes';
create function crm.thing_changed() returns trigger language plpgsql as $$ begin return new; end $$;
create trigger kept after insert on crm.things for each row execute function crm.thing_changed();
create trigger gone after update on crm.things for each row execute function crm.thing_changed();
create policy "Shown things are read" on crm.things for select to crm_api using (crm.thing_is_shown(name));
create view crm.thing_names as select name from crm.things;
grant select, insert on crm.things to crm_api;
grant select on crm.thing_names to crm_api;
grant execute on function crm.thing_kept(text), crm.thing_area(crm.thing_size) to crm_api;
`;

/** The released objects after a change of each kind. The first changes a function that crm_api owns. */
const CHANGED = RELEASED
  .replace("begin return api", "begin /* Changed */ return api")
  .replace("(id uuid, name text);", "(id uuid, name text, color text);")
  .replace("'A thing'", "'A thing with a color'")
  .replace("(width integer, height integer)", "(height integer, width integer)")
  .replace("name text not null)", "name text not null, color text)")
  .replace("thing_is_shown(p_name text)", "thing_is_shown(p_shown_name text)").replace(
    "p_name <> ''",
    "p_shown_name <> ''",
  )
  .replace("begin return p_name; end", "begin return upper(p_name); end")
  .replace(
    /create function crm.thing_old.*\n.*\n/,
    "create function crm.thing_new() returns text language sql as $$$$ select crm.thing_kept('') $$$$;\n",
  )
  .replace(/create trigger gone.*\n/, "")
  .replace("after insert on", "after insert or delete on")
  .replace("select name from", "select name, color from")
  .replace("grant select, insert on crm.things", "grant select on crm.things")
  .replace(
    "thing_kept(text), crm.thing_area(crm.thing_size) to crm_api",
    "thing_area(crm.thing_size) to crm_api",
  );

Deno.test(needing(["the packages of tools/schema/"], {
  name:
    "A migration has what changed in the schema files since the release, and a database that applies it is like a new database",
  fn: upgrade,
}));

async function upgrade(t: Deno.TestContext): Promise<void> {
  await using copy = await openFolder();
  const inCopy = (path: string) => join(copy.path, path);
  const own = inCopy("supabase/schemas/85_things.sql");
  const command = ["run", "-A", "--quiet", "--config", "tools/schema/deno.json", "tools/schema/main.ts"];
  const schema = (...args: string[]) => outcomeOf(Deno.execPath(), [...command, ...args], { cwd: copy.path });
  const succeeds = async (...args: string[]) => {
    const { code, stderr } = await schema(...args);
    assert.equal(code, 0, stderr);
  };
  const refuses = async (message: RegExp, ...args: string[]) => {
    const { code, stderr } = await schema(...args);
    assert.notEqual(code, 0);
    assert.match(stderr, message);
  };

  for (const folder of COPIED) await copyFolder(join(ROOT, folder), inCopy(folder), /^node_modules$/);
  await Deno.mkdir(inCopy("supabase/schemas"), { recursive: true });
  await Deno.copyFile(join(ROOT, ROLES), inCopy(ROLES));
  await Deno.symlink(join(ROOT, "tools/schema/node_modules"), inCopy("tools/schema/node_modules"));
  await Deno.mkdir(inCopy("supabase/migrations"));
  await Deno.writeTextFile(own, RELEASED);
  await refuses(/20261126000000_v1\.sql is not released/, "early");
  await succeeds("--", "--release");
  const migrations = inCopy("supabase/migrations");
  const [v1] = (await Array.fromAsync(Deno.readDir(migrations))).map(({ name }) => name).sort();

  await Deno.writeTextFile(own, CHANGED);
  let path = "";
  await t.step(
    "a table change without a hand-written migration is refused, and the error shows exactly that difference",
    async () => {
      await refuses(
        /docs\/upgrading\.md\):\nTABLE crm\.things\n {2}- +name text NOT NULL\n {2}\+ +name text NOT NULL,\n {2}\+ +color text\n$/,
        "colors",
      );
      const files = await Array.fromAsync(Deno.readDir(migrations));
      path = join(migrations, files.find(({ name }) => name.endsWith("_colors.sql"))!.name);
    },
  );

  await t.step("once the table change is written by hand, the task writes the rest below it", async () => {
    const created = await Deno.readTextFile(path);
    await Deno.writeTextFile(
      path,
      created.replace("-- Above:", "alter table crm.things add color text;\n\n-- Above:"),
    );
    await succeeds();
    await succeeds("--check");
    const written = (await Deno.readTextFile(path)).split(/^-- Above.*\n/m)[1]!;
    // What did not change is not in the migration. `--check` has compared the result with the schema files.
    assert.doesNotMatch(
      written,
      /^(CREATE|ALTER|DROP|GRANT|REVOKE) .*\b(event_types|jobs|thing_list\(\) |run_app_verb)/m,
    );
    assert.match(written, /^DROP FUNCTION crm\.thing_old/m);
    assert.match(written, /^CREATE OR REPLACE FUNCTION crm\.thing_kept/m);
  });

  await t.step(
    "a separate Postgres upgrades from the release, with data in the changed table",
    async () => {
      await using database = await createEmptyDatabase();
      const { sql } = database;
      const hidden = inCopy("later.sql");
      await Deno.rename(path, hidden);
      assert.equal(await migrate(sql, migrations), 2);
      await sql`insert into crm.things values (gen_random_uuid(), 'chair')`;
      await Deno.rename(hidden, path);
      assert.equal(await migrate(sql, migrations), 1);
      assert.deepEqual([...await sql`select name, color, crm.thing_kept(name) as kept from crm.things`], [
        { name: "chair", color: null, kept: "CHAIR" },
      ]);
    },
  );

  await t.step("a released file that was edited is refused with its name", async () => {
    await Deno.writeTextFile(join(migrations, v1!), "\n-- Edited\n", { append: true });
    await refuses(/^20261126000000_v1\.sql is released and was edited/, "--check");
  });
}
