import assert from "node:assert/strict";
import { join } from "node:path";

const ROOT = join(import.meta.dirname!, "../..");

Deno.test("Every row of the threat model in SECURITY.md names tests that are there", async () => {
  const page = await Deno.readTextFile(join(ROOT, "SECURITY.md"));
  const section = /^## Threat model$([^]*?)^## /m.exec(page)![1]!;
  const [, , ...rows] = section.match(/^\| .*$|^\|-.*$/gm)!;
  assert.ok(rows.length >= 10);
  for (const row of rows) {
    const tests = row.split("|").at(-2)!.match(/`[^`]+`/g) ?? [];
    assert.ok(tests.length > 0, row);
    for (const test of tests) {
      const path = test.slice(1, -1);
      assert.match(path, /^tests\/(\w+\/)+(\w+_test\.ts)?$/);
      await Deno.stat(join(ROOT, path));
    }
  }
});
