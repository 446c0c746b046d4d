import assert from "node:assert/strict";
import { basename } from "node:path";
import { locksOf } from "../../run/deployment/locks.ts";
import { migrationFiles } from "../../run/local/migrate.ts";
import { makeMigrationsFolder } from "../support/migrations_folder.ts";

Deno.test("A plan names each table that a migration locks, who waits for the lock, and whether the table is rewritten", async () => {
  await using folder = await makeMigrationsFolder();
  for (const { path } of await migrationFiles()) {
    await folder.add(basename(path), await Deno.readTextFile(path));
  }
  await folder.add(
    "30000101000000_several.sql",
    `alter table crm.deals add column rank integer;
     alter table crm.notes alter column body type varchar(20000);
     create index contacts_by_job_title on crm.contacts (workspace_id, job_title, id);
     create table crm.products (id uuid);
     comment on table crm.products is null;`,
  );
  await folder.add(
    "30000101000001_index.sql",
    "create index concurrently notes_by_author on crm.notes (author_id);",
  );
  await folder.add(
    "30000101000002_body.sql",
    "create or replace function crm.iso_day(t date) returns text language sql as $$ select t::text $$;",
  );
  const missing = (await migrationFiles(folder.path)).filter(({ version }) => version.startsWith("3000"));
  const locks = await locksOf(missing);
  assert.deepEqual(missing.map(({ version }) => locks.get(version)), [
    [
      "crm.contacts: ShareLock, writes wait",
      "crm.deals: AccessExclusiveLock, reads and writes wait",
      "crm.notes: AccessExclusiveLock, reads and writes wait while all its rows are rewritten",
    ],
    // The locks of a migration that runs outside a transaction are not read.
    undefined,
    [],
  ]);
});
