// Compares the route tables that the functions load at their start with the endpoints that they are generated from.
import assert from "node:assert/strict";
import { join } from "node:path";
import { readImportGraph } from "../../bench/performance/cold_start/import_graph.ts";
import { FUNCTIONS, resources } from "../../tools/resources.ts";
import { writtenFiles } from "../../tools/tables/files.ts";

for (const { path, text } of await writtenFiles()) {
  Deno.test(`${path.split("/").slice(-2).join("/")} is what deno task tables writes`, async () => {
    assert.equal(await Deno.readTextFile(path), text, "Run deno task tables");
  });
}

for (const { name } of resources) {
  Deno.test(`${name} starts without schemas and driver`, async () => {
    const { packages } = await readImportGraph(join(FUNCTIONS, name, "index.ts"), { atStart: true });
    for (const later of ["zod", "pg", "jsonc-parser"]) assert.ok(!packages.includes(later), later);
  });
}
