import assert from "node:assert/strict";
import { deno } from "../support/run.ts";

Deno.test("The demo runs to its end", async () => {
  const { stdout } = await deno(["run", "-A", "run/local/demo.ts"]);
  assert.match(stdout, /✓ The signature is right: sha256=[0-9a-f]{64}\n/);
});
