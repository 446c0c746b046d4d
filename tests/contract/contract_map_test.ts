// tools/rules maps rules to tests, and docs/contract.md is written from it; these tests keep the map up to date.
import assert from "node:assert/strict";
import { join } from "node:path";
import { parts } from "../../tools/rules/all.ts";

/** The contract's parts, and 4.0.2, which is added here; each must have rules. */
const PARTS =
  "1 2.1 2.2 2.3 2.4 2.5 2.6 2.7 3 4 4.0 4.0.1 4.0.2 4.1 4.2 4.3 4.4 4.5 4.6 5 6.1 6.2 6.3 6.4 6.5 7 8 9"
    .split(" ");

const TESTS = join(import.meta.dirname!, "..");

Deno.test("docs/contract.md has rules for every part of the contract, and for every error code", () => {
  assert.deepEqual(parts.map(({ part }) => part), PARTS);
  for (const { part, rules } of parts) assert.ok(rules.length > 0, `no rule for part ${part}`);
});

Deno.test("Every test that docs/contract.md names is there", async () => {
  const titles = await testTitles(TESTS);
  const missing = parts.flatMap(({ rules }) => rules).flatMap(({ rule, tests }) =>
    tests.filter((title) => !titles.has(title)).map((title) => `${rule}: ${title}`)
  );
  assert.deepEqual(missing, []);
});

/** Reads the titles of the test files, with `…` for what a loop fills in. */
async function testTitles(folder: string): Promise<Set<string>> {
  const titles = new Set<string>();
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) {
      for (const title of await testTitles(path)) titles.add(title);
    } else if (name.endsWith(".ts")) {
      const source = await Deno.readTextFile(path);
      const calls = source.matchAll(/(?:\btest\(|\.step\(|^ *name:)\s*(["`])((?:\\.|(?!\1).)*)\1/gm);
      for (const [, , title] of calls) titles.add(replaceExpressions(title!));
    }
  }
  return titles;
}

/** Replaces `${…}` by `…`; the expression inside may contain braces. */
function replaceExpressions(template: string): string {
  let text = "";
  let depth = 0;
  for (let at = 0; at < template.length; at++) {
    if (depth === 0 && template.startsWith("${", at)) {
      text += "…";
      depth = 1;
      at++;
    } else if (depth > 0) {
      depth += template[at] === "{" ? 1 : template[at] === "}" ? -1 : 0;
    } else if (template[at] !== "\\") {
      text += template[at];
    }
  }
  return text;
}
