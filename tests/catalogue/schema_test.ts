import assert from "node:assert/strict";
import { join } from "node:path";
import { needing } from "../support/needing.ts";

const ROOT = join(import.meta.dirname!, "../..");

Deno.test(needing(["the packages of schema/"], {
  name: "supabase/schema.sql and docs/schema.md are what deno task schema would write",
  async fn() {
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", "--config", "schema/deno.json", "schema/main.ts", "--check"],
      cwd: ROOT,
    }).output();
    assert.ok(success, new TextDecoder().decode(stderr));
    // A partition of a day is not part of the schema: the text would change overnight.
    for (const file of ["supabase/schema.sql", "docs/schema.md"]) {
      assert.doesNotMatch(await Deno.readTextFile(join(ROOT, file)), /_\d{4}_\d\d_\d\d/, file);
    }
  },
}));
