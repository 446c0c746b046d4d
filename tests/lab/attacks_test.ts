import assert from "node:assert/strict";
import { join } from "node:path";

const SCRIPT = join(import.meta.dirname!, "../../lab/attacks/main.ts");

// The sizes of `--short`; the whole figures, and those of the other attacks, are in docs/security.md.
for (
  const [subject, name] of [
    [
      "large-bodies",
      "Large bodies without a valid credential do not delay other callers, and take no memory",
    ],
    ["random-keys", "Random keys and tokens do not delay other callers"],
    ["large-pages", "Pages of the largest records stay small, and do not delay other callers"],
  ] as const
) {
  Deno.test(name, async () => {
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", SCRIPT, "--short", subject],
    }).output();
    assert.ok(success, new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr));
  });
}
