/**
 * `deno task schema`: writes the rights of verbs into supabase/schemas, and the unreleased migration. `--check` only
 * compares, and exits with 1 if a file is out of date. `--dump` prints the whole schema as pg_dump does, and writes
 * nothing.
 *
 * `deno task migration -- <name>`: creates a migration and writes into it what changed since the last release.
 * `--release` records that all migrations are released.
 */
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { presentState, schemaFiles } from "./files.ts";
import { newMigration, refuseEdited, release } from "./migrations.ts";

async function run(): Promise<void> {
  const { values, positionals: [name] } = parseArgs({
    // `deno task` passes `--` on.
    args: Deno.args.filter((arg) => arg !== "--"),
    options: { check: { type: "boolean" }, dump: { type: "boolean" }, release: { type: "boolean" } },
    allowPositionals: true,
  });
  if (values.dump) {
    for (const { sql } of (await presentState()).values()) console.log(`${sql}\n`);
    return;
  }
  // Refuses edited migrations before anything that takes time.
  await refuseEdited();
  if (name !== undefined) console.log(`Created ${await newMigration(name)}`);
  for (const { path, text } of await schemaFiles()) {
    if (await Deno.readTextFile(path).catch(() => null) === text) continue;
    if (values.check) throw new Error(`${basename(path)} is out of date: run deno task schema`);
    await Deno.writeTextFile(path, text);
  }
  if (values.release) await release();
}

await run().catch((error) => {
  console.error(error.message);
  Deno.exit(1);
});
