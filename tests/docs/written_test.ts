// Every generated file in git is what its task writes. tests/sql/schema_test.ts compares the migrations.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { relative } from "node:path";
import { formatted, writtenFiles as filesOfSdk } from "../../clients/sdk/write/files.ts";
import { writtenFiles as filesOfTools } from "../../tools/mcp/files.ts";
import { pages } from "../../tools/pages/all.ts";
import { writtenFiles as filesOfRecords } from "../../tools/records/files.ts";
import { writtenFiles as filesOfTables } from "../../tools/tables/files.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Compares a file with what a task writes in its place; `write` gets the file's text. */
function test(task: string, path: string, write: (text: string) => string | Promise<string>): void {
  Deno.test(`${relative(ROOT, path)} is what deno task ${task} writes`, async () => {
    const text = await Deno.readTextFile(path);
    assert.ok(await write(text) === text, `Run deno task ${task}`);
  });
}

for (const { path, text } of await filesOfRecords()) test("records", path, () => text);
for (const { path, text } of await filesOfTables()) test("tables", path, () => text);
for (const { path, text } of filesOfTools()) test("tools", path, () => text);
for (const [path, text] of Object.entries(filesOfSdk())) test("sdk", path, () => formatted(text));
for (const { file, write } of pages) test("docs", file, write);
