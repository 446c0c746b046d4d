import assert from "node:assert/strict";
import { join } from "node:path";
import { readStackFile } from "../../run/local/stack_file.ts";

Deno.test({
  name: "A stack that another user started is not taken for one that is not running",
  // Root may read every file.
  ignore: Deno.uid() === 0,
  async fn() {
    const dataDir = await Deno.makeTempDir();
    try {
      await Deno.writeTextFile(join(dataDir, "stack.json"), "{}", { mode: 0o200 });
      await assert.rejects(readStackFile(dataDir), /^StackError: No permission to read .*stack\.json: /);
    } finally {
      await Deno.remove(dataDir, { recursive: true });
    }
  },
});
