import assert from "node:assert/strict";
import { join } from "node:path";

const LAB = join(import.meta.dirname!, "../../bench");

async function* scripts(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) yield* scripts(path);
    else if (name.endsWith(".ts")) yield path;
  }
}

Deno.test("Nothing in bench/ imports from tests/", async () => {
  const files = await Array.fromAsync(scripts(LAB));
  assert.ok(files.length > 0);
  for (const file of files) {
    assert.doesNotMatch(await Deno.readTextFile(file), /(from|import\()\s*"[^"]*\/tests\//, file);
  }
});

Deno.test("A part of the lab refuses an unknown option and a wrong value, and names the options", async () => {
  const refused = async (...args: string[]) => {
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", join(LAB, "main.ts"), ...args],
    }).output();
    const text = new TextDecoder().decode(stderr).trim();
    assert.equal(code, 2, text);
    return text;
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
