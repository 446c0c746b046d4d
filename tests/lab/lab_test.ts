import assert from "node:assert/strict";
import { join } from "node:path";
import { filesOf } from "../../site/sizes.ts";
import { outcomeOf } from "../support/run.ts";

const LAB = join(import.meta.dirname!, "../../bench");

Deno.test("Nothing in bench/ imports from tests/", async () => {
  const files = (await Array.fromAsync(filesOf(LAB))).filter((path) => path.endsWith(".ts"));
  assert.ok(files.length > 0);
  for (const file of files) {
    assert.doesNotMatch(await Deno.readTextFile(join(LAB, file)), /(from|import\()\s*"[^"]*\/tests\//, file);
  }
});

Deno.test("A part of the lab refuses an unknown option and a wrong value, and names the options", async () => {
  const refused = async (...args: string[]) => {
    const { code, stderr } = await outcomeOf(Deno.execPath(), ["run", "-A", join(LAB, "main.ts"), ...args]);
    assert.equal(code, 2, stderr);
    return stderr;
  };
  for (const part of ["attacks", "performance", "reliability"]) {
    assert.match(
      await refused(part, "--minutes", "abc"),
      /'abc' is invalid.* It must be a number of 1 or more\n/,
    );
    const text = await refused(part, "--wrong");
    assert.match(text, /^error: unknown option '--wrong'\n/, text);
    for (const option of [/^ +--short /m, /^ +--minutes /m]) assert.match(text, option);
    assert.doesNotMatch(text, /^ +at /m, "no stack trace");
  }
});
