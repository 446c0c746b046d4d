import assert from "node:assert/strict";
import { join } from "node:path";
import process from "node:process";
import { readStackFile } from "../../run/local/stack_file.ts";

const NOBODY = 65534;

Deno.test("A stack that another user started is not taken for one that is not running", async () => {
  const dataDir = await Deno.makeTempDir();
  await Deno.writeTextFile(join(dataDir, "stack.json"), "{}", { mode: 0o200 });
  // Root may read every file, so root becomes another user meanwhile.
  const isRoot = Deno.uid() === 0;
  if (isRoot) process.seteuid!(NOBODY);
  try {
    await assert.rejects(readStackFile(dataDir), /^StackError: No permission to read .*stack\.json: /);
  } finally {
    if (isRoot) process.seteuid!(0);
    await Deno.remove(dataDir, { recursive: true });
  }
});
