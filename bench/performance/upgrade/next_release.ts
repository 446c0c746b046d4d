// Makes the next release: a copy of this tree with a change of each kind in its schema files, and its migrations.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { copyFolder } from "../../../run/local/data_dir.ts";

const ROOT = join(import.meta.dirname!, "../../..");
const COPIED = ["supabase/functions", "supabase/schemas", "tools"];

const PRODUCTS = `create table crm.products (
  workspace_id uuid not null,
  id uuid not null default crm.uuid_v7(),
  name crm.record_name not null,
  primary key (workspace_id, id)
);
call crm.protect('crm.products');
`;

/** Edits of files in the copy: pairs of a text and what replaces it. */
const EDITS: [file: string, ...pairs: [string | RegExp, string][]][] = [
  // Adds a column with a filter, and a constraint.
  ["supabase/functions/api-v1-contacts/record.ts", [
    "  owner_id: field.owner(",
    '  referred_by: field.text(255, { text: doc("Quem indicou", "Who referred the contact", "João Lima"), filter: doc("Quem indicou", "Who referred the contact") }),\n  owner_id: field.owner(',
  ]],
  ["supabase/schemas/32_contacts.sql", [
    "  tags text[],\n",
    "  tags text[],\n  referred_by text,\n  constraint referred_by_is_short check (length(referred_by) <= 255),\n",
  ]],
  // Drops a function.
  ["supabase/schemas/80_jobs.sql", [/create function app\.job_run[^]*?is\n[^;]*;\n/, ""]],
  // Changes the signature of a function.
  ["supabase/schemas/20_records.sql", [
    "crm.owner_or_default(p_owner_id uuid)",
    "crm.owner_or_default(p_named_id uuid)",
  ], ["coalesce(p_owner_id,", "coalesce(p_named_id,"]],
];

/** The part of the migration that a developer writes: brief changes of tables, and a job that fills the new column. */
const BY_HAND = `alter table crm.contacts add column referred_by text;
alter table crm.contacts add constraint referred_by_is_short check (length(referred_by) <= 255) not valid;

${PRODUCTS}
insert into crm.jobs (name, every, command, description) values ('once-referred-by', '1 second', $job$
  do $do$
  begin
    with empty as (
      select c.workspace_id, c.id from crm.contacts c where c.referred_by is null limit 5000 for update skip locked
    )
    update crm.contacts c set referred_by = 'Feira' from empty e where (c.workspace_id, c.id) = (e.workspace_id, e.id);
    if not found then delete from crm.jobs where name = 'once-referred-by'; end if;
  end
  $do$
$job$, 'Fills contacts.referred_by');

`;

/** A folder with the migrations of this tree and of the next release; it is removed when the scope ends. */
export async function makeNextRelease(): Promise<{ migrations: string } & AsyncDisposable> {
  const copy = await Deno.makeTempDir({ prefix: "crm-next-release-" });
  const migrations = join(copy, "supabase/migrations");
  /** Runs a program of the copy. @throws Error with what it wrote to standard error, if it fails */
  const run = async (...args: string[]): Promise<void> => {
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", ...args],
      cwd: copy,
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
  };
  const schema = (...args: string[]) =>
    run("--config", "tools/schema/deno.json", "tools/schema/main.ts", ...args);
  for (const file of ["deno.json", "import_map.json"]) {
    await Deno.copyFile(join(ROOT, file), join(copy, file));
  }
  for (const folder of COPIED) await copyFolder(join(ROOT, folder), join(copy, folder), /^node_modules$/);
  for (const folder of ["node_modules", "tools/schema/node_modules"]) {
    // In a fresh clone the folder is absent, so Deno installs the packages into the copy.
    if (existsSync(join(ROOT, folder))) await Deno.symlink(join(ROOT, folder), join(copy, folder));
  }
  await Deno.mkdir(migrations);

  await schema("--release");

  await Deno.writeTextFile(join(copy, "supabase/schemas/37_products.sql"), PRODUCTS);
  for (const [file, ...pairs] of EDITS) {
    let text = await Deno.readTextFile(join(copy, file));
    for (const [before, after] of pairs) {
      const edited = text.replace(before, () => after);
      if (edited === text) throw new Error(`${file} has no ${before}`);
      text = edited;
    }
    await Deno.writeTextFile(join(copy, file), text);
  }
  await run("tools/records/main.ts");
  // Creates the file, and fails because BY_HAND is missing.
  await schema("next").catch(() => {});
  const [created] = (await Array.fromAsync(Deno.readDir(migrations))).filter(({ name }) =>
    name.endsWith("_next.sql")
  );
  const next = join(migrations, created!.name);
  await Deno.writeTextFile(
    next,
    (await Deno.readTextFile(next)).replace("-- Above:", () => `${BY_HAND}-- Above:`),
  );
  // Later migrations for the new column: its indexes, each built concurrently, and the validation of its constraint.
  const written = await Deno.readTextFile(join(copy, "supabase/schemas/32_contacts_written.sql"));
  const indexes = written.match(/^create index .*referred_by[^;]*;/gm)!;
  const later = [
    ...indexes.map((index) => index.replace("index", "index concurrently if not exists")),
    "alter table crm.contacts validate constraint referred_by_is_short;",
  ];
  for (const [number, statement] of later.entries()) {
    await Deno.writeTextFile(join(migrations, `3000010100000${number}_later.sql`), `${statement}\n`);
  }
  await schema();
  return { migrations, [Symbol.asyncDispose]: () => Deno.remove(copy, { recursive: true }) };
}
