import assert from "node:assert/strict";
import { join } from "node:path";

Deno.test("The demo runs to its end", async () => {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", join(import.meta.dirname!, "..", "..", "run", "local", "demo.ts")],
  }).output();
  const decoder = new TextDecoder();
  assert.equal(code, 0, decoder.decode(stderr));
  assert.match(decoder.decode(stdout), /✓ The signature is right: sha256=[0-9a-f]{64}\n/);
});
