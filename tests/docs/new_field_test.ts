// docs/architecture.md shows the whole diff that adds a field with a filter. This test applies it to a copy.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { copyFolder } from "../../run/local/data_dir.ts";
import { openFolder } from "../support/folder.ts";
import { needing } from "../support/needing.ts";
import { deno } from "../support/run.ts";
import { readSnippet } from "./page.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Folders that are not copied, because they are large or belong only to the original. */
const LEFT_OUT = /^(node_modules|\.git|\.local|\.temp)$/;
/** The tests that fail if the diff misses a place that must declare the field. */
const TESTS = [
  "tests/api/deals/deals_test.ts",
  "tests/contract/fields_test.ts",
  "tests/docs/written_test.ts",
  ...["list_values", "list_walks", "records", "schema"].map((name) => `tests/sql/${name}_test.ts`),
];
/** Skips the tests of other lists' pages: the field does not change those lists, and each test takes seconds. */
const NOT_OTHER_LISTS = "/^(?!the pages of (activities|companies|contacts|notes) )/";

Deno.test(needing(["the packages of tools/schema/"], {
  name:
    "the diff in docs/architecture.md and the files that tasks generate add a field with a filter to deals",
  fn: addField,
}));

async function addField(): Promise<void> {
  await using folder = await openFolder();
  const copy = folder.path;
  const dataDir = join(copy, "data");
  await copyFolder(ROOT, copy, LEFT_OUT);
  for (const folder of ["node_modules", "tools/schema/node_modules"]) {
    await Deno.symlink(join(ROOT, folder), join(copy, folder));
  }
  const files = await applyDiff(copy, await readSnippet("architecture.md", "A new field", "diff"));
  assert.deepEqual(files.map((file) => file.split("/").at(-1)), ["record.ts", "33_deals.sql"]);
  // The commands of `deno task write`, except those for tables and nodes.
  const writers = [
    "tools/records",
    "tools/openapi",
    "clients/sdk/write",
    "tools/mcp",
    "tools/schema",
    "tools/pages",
  ];
  for (const writer of writers) {
    const config = writer === "tools/schema" ? "tools/schema/deno.json" : "deno.json";
    await deno(["run", "-A", "--config", config, join(writer, "main.ts")], { cwd: copy });
  }

  const { startStackProcess } = await import(pathToFileURL(join(copy, "run/local/stack_process.ts")).href);
  const stack = await startStackProcess(dataDir);
  try {
    const args = ["test", "-A", "--no-check", "--filter", NOT_OTHER_LISTS, ...TESTS];
    await deno(args, { cwd: copy, env: { DATA_DIR: dataDir } });
  } finally {
    await stack.stop();
  }
  const openapi = JSON.parse(await Deno.readTextFile(join(copy, "clients/openapi.json")));
  assert.ok("region" in openapi.components.schemas.NewDeal.properties);
  const types = await Deno.readTextFile(join(copy, "clients/sdk/src/types.ts"));
  assert.match(types, /\bregion: string \| null;$/m);
}

/** Applies a diff by its context lines, as a reader would; returns the files that it changed. */
async function applyDiff(folder: string, diff: string): Promise<string[]> {
  const changed: string[] = [];
  for (const part of diff.split(/^--- .*\n/m).slice(1)) {
    const [, name, within, hunk] = /^\+\+\+ b\/(\S+)\n@@ (.*)\n([^]*)$/.exec(part)!;
    const lines = hunk!.trimEnd().split("\n");
    const text = (without: string) =>
      lines.filter((line) => !line.startsWith(without)).map((line) => line.slice(1)).join("\n");
    const file = join(folder, name!);
    const before = await Deno.readTextFile(file);
    const start = before.indexOf(text("+"), before.indexOf(within!));
    assert.notEqual(start, -1, `The diff does not fit ${name}`);
    const end = start + text("+").length;
    await Deno.writeTextFile(file, before.slice(0, start) + text("-") + before.slice(end));
    changed.push(name!);
  }
  return changed;
}
