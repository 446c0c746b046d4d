// docs/contract.md says which tests hold which rule; here it is kept from going stale.
import assert from "node:assert/strict";
import { join } from "node:path";
import { ERRORS } from "../../supabase/functions/_shared/contract/errors.ts";

/** The contract's parts; each must have rules, and each rule tests. */
const PARTS =
  "1 2.1 2.2 2.3 2.4 2.5 2.6 2.7 3 4 4.0 4.0.1 4.1 4.2 4.3 4.4 4.5 4.6 5 6.1 6.2 6.3 6.4 6.5 7 8 9"
    .split(" ");
/** Codes beyond the contract's part 7 (docs/decisions/0005, 0011). */
const ADDITIONS = ["payload_too_large", "service_unavailable", "proposal_expired", "proposal_closed"];

const TESTS = join(import.meta.dirname!, "..");
const page = await Deno.readTextFile(join(TESTS, "../docs/contract.md"));

interface Rule {
  part: string;
  rule: string;
  titles: string[];
}

const rules: Rule[] = page.split(/^## /m).slice(1).flatMap((section) => {
  const part = section.slice(0, section.indexOf(" "));
  return [...section.matchAll(/^\| (?!rule |---)(.*?) \| (.*) \|$/gm)].map(([, rule, held]) => ({
    part,
    rule: rule!,
    titles: held!.split("<br>").map((cell) => /^(`+) ?(.*?) ?\1$/.exec(cell)?.[2] ?? cell),
  }));
});

Deno.test("docs/contract.md has rules for every part of the contract, and for every error code", () => {
  assert.deepEqual([...new Set(rules.map(({ part }) => part))], PARTS);
  const codes = rules.filter(({ part }) => part === "7").map(({ rule }) => /^`(\w+)`/.exec(rule)?.[1]);
  for (const code of Object.keys(ERRORS)) {
    assert.ok(codes.includes(code) || ADDITIONS.includes(code), `no rule for ${code}`);
  }
});

Deno.test("Every test that docs/contract.md names is there", async () => {
  const titles = await testTitles(TESTS);
  const missing = rules.flatMap(({ rule, titles: named }) =>
    named.filter((title) => !titles.has(title)).map((title) => `${rule}: ${title}`)
  );
  assert.deepEqual(missing, []);
});

/** The titles in the test files, with `…` for what a loop fills in. */
async function testTitles(folder: string): Promise<Set<string>> {
  const titles = new Set<string>();
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) {
      for (const title of await testTitles(path)) titles.add(title);
    } else if (name.endsWith(".ts")) {
      const source = await Deno.readTextFile(path);
      const calls = source.matchAll(/(?:\btest\(|\.step\(|^ *name:)\s*(["`])((?:\\.|(?!\1).)*)\1/gm);
      for (const [, , title] of calls) titles.add(withoutHoles(title!));
    }
  }
  return titles;
}

/** `${…}` as `…`; what is inside may have braces of its own. */
function withoutHoles(template: string): string {
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
