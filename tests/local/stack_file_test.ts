import assert from "node:assert/strict";
import { join } from "node:path";
import process from "node:process";
import { readStackFile } from "../../run/local/stack_file.ts";
import { openFolder } from "../support/folder.ts";

const NOBODY = 65534;

Deno.test("A stack file that belongs to another user is reported as unreadable, and not as missing", async () => {
  await using dataDir = await openFolder();
  await Deno.writeTextFile(join(dataDir.path, "stack.json"), "{}", { mode: 0o200 });
  // Root may read every file, so root becomes another user meanwhile.
  const isRoot = Deno.uid() === 0;
  if (isRoot) process.seteuid!(NOBODY);
  try {
    await assert.rejects(readStackFile(dataDir.path), /^StackError: No permission to read .*stack\.json: /);
  } finally {
    if (isRoot) process.seteuid!(0);
  }
});
