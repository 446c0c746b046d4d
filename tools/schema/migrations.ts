// The released migrations, and the migration with what has changed in supabase/schemas since the last release.
import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import { changesSql, isWritten } from "./changes.ts";
import { runFile, withDatabase } from "./database.ts";
import { MIGRATIONS, RELEASED, sqlFiles, type WrittenFile } from "./folder.ts";
import { type Entry, type State, stateOf } from "./state.ts";

/** Version 1, which equals the schema files until its release. The schedule needs its own transaction and file. */
const FIRST = "20261126000000_v1.sql";
const FIRST_SCHEDULE = "20261126000001_v1_schedule.sql";

/** Separates the part of a migration that a person writes from the generated part. */
const MARK = "-- Above: changes of tables and rows, by hand. Below: written by deno task schema.\n";

/**
 * What the unreleased migrations should contain.
 *
 * @param schemas the schema files, by name
 * @param readPresent reads what the schema files create; not called before the first release
 * @throws Error if the migrations make another database than the schema files
 */
export async function migrationFiles(
  schemas: [name: string, sql: string][],
  readPresent: () => Promise<State>,
): Promise<WrittenFile[]> {
  const released = await releasedDigests();
  if (released[FIRST] === undefined) return firstRelease(schemas);
  const present = await readPresent();
  return await withDatabase(async (database) => {
    let last: { path: string; byHand: string } | undefined;
    for (const name of await sqlFiles(MIGRATIONS)) {
      const path = join(MIGRATIONS, name);
      const text = await Deno.readTextFile(path);
      const [byHand, written] = text.split(MARK) as [string, string?];
      const isWritten = written !== undefined && !(name in released);
      await runFile(database, name, isWritten ? byHand : text);
      if (isWritten) last = { path, byHand };
    }
    const before = await stateOf(database);
    refuseDifferences(before, present, (entry) => !isWritten(entry));
    const changes = await changesSql(database, before, present);
    if (last !== undefined) await runFile(database, basename(last.path), changes);
    refuseDifferences(await stateOf(database), present);
    return last === undefined
      ? []
      : [{ path: last.path, text: `${last.byHand}${MARK}\n${SETTINGS}${changes}\n` }];
  });
}

/** @throws Error if a released file was edited */
export async function refuseEdited(): Promise<void> {
  for (const [name, released] of Object.entries(await releasedDigests())) {
    if (digest(await Deno.readTextFile(join(MIGRATIONS, name))) === released) continue;
    throw new Error(`${name} is released and was edited: restore it, and make the change in a new migration`);
  }
}

/** Creates the migration to which `deno task schema` writes what changed since the last release. Returns its path. */
export async function newMigration(name: string): Promise<string> {
  if ((await releasedDigests())[FIRST] === undefined) {
    throw new Error(
      `${FIRST} is not released: edit supabase/schemas and run deno task write, which keeps it equal`,
    );
  }
  const version = new Date().toISOString().replaceAll(/\D/g, "").slice(0, 14);
  const path = join(MIGRATIONS, `${version}_${name}.sql`);
  await Deno.writeTextFile(path, `-- Why the database changes.\n\nset lock_timeout = '2s';\n\n${MARK}`);
  return path;
}

/** Records every migration as released, so that from now on none of them may change. */
export async function release(): Promise<void> {
  const digests: Record<string, string> = {};
  for (const name of await sqlFiles(MIGRATIONS)) {
    digests[name] = digest(await Deno.readTextFile(join(MIGRATIONS, name)));
  }
  await Deno.writeTextFile(RELEASED, `${JSON.stringify(digests, null, 2)}\n`);
}

const digest = (text: string) => createHash("sha256").update(text).digest("hex");

async function releasedDigests(): Promise<Record<string, string>> {
  return JSON.parse(await Deno.readTextFile(RELEASED));
}

/** Bodies are not checked, because they may call functions that the file creates later. */
const SETTINGS = "set check_function_bodies = off;\n\n";

function firstRelease(schemas: [name: string, sql: string][]): WrittenFile[] {
  const isSchedule = (name: string) => name.endsWith("_schedule.sql");
  const texts = (those: typeof schemas) => those.map(([, sql]) => withoutComments(sql)).join("");
  return [
    { path: join(MIGRATIONS, FIRST), text: texts(schemas.filter(([name]) => !isSchedule(name))) },
    { path: join(MIGRATIONS, FIRST_SCHEDULE), text: texts(schemas.filter(([name]) => isSchedule(name))) },
  ];
}

/** SQL without comments. Function bodies keep their comments, because Postgres stores them. */
function withoutComments(sql: string): string {
  return sql.replaceAll(
    /(\$(\w*)\$[^]*?\$\2\$)|^ *--.*\n|\n{2,}/gm,
    (found, body?: string) => body ?? (found.startsWith("\n") ? "\n" : ""),
  );
}

/** @throws Error that names every object that differs between the migrations and the schema files */
function refuseDifferences(
  made: State,
  present: State,
  isCompared: (entry: Entry) => boolean = () => true,
): void {
  const differences: string[] = [];
  for (const key of new Set([...made.keys(), ...present.keys()])) {
    if (!isCompared((present.get(key) ?? made.get(key))!)) continue;
    const [lines, wanted] = [made, present].map((state) => state.get(key)?.sql.split("\n") ?? []) as [
      string[],
      string[],
    ];
    if (lines.join("\n") === wanted.join("\n")) continue;
    differences.push(
      key,
      ...lines.filter((line) => line && !wanted.includes(line)).map((line) => `  - ${line}`),
      ...wanted.filter((line) => line && !lines.includes(line)).map((line) => `  + ${line}`),
    );
  }
  if (differences.length === 0) return;
  throw new Error(
    "The migrations do not make what supabase/schemas defines. Write by hand, above the mark of the new migration " +
      `(deno task migration -- <name>), what makes these differences (docs/upgrading.md):\n${
        differences.join("\n")
      }`,
  );
}
