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

Deno.test("A part of the lab refuses an unknown option, and names the options", async () => {
  for (const part of ["attacks", "performance", "reliability"]) {
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", join(LAB, "main.ts"), part, "--wrong"],
    }).output();
    const text = new TextDecoder().decode(stderr).trim();
    assert.equal(code, 2, text);
    assert.match(text, /^error: unknown option '--wrong'\n/, text);
    for (const option of [/^ +--short /m, /^ +--minutes /m]) assert.match(text, option);
    assert.doesNotMatch(text, /^ +at /m, "no stack trace");
  }
});
