import assert from "node:assert/strict";
import { schemaFiles } from "../../contract/schema/files.ts";

Deno.test("supabase/schema.sql and docs/schema.md are what deno task schema would write", async () => {
  for (const { file, text } of await schemaFiles()) {
    assert.ok(
      await Deno.readTextFile(file) === text,
      `${file} is not as the migrations are: run deno task schema`,
    );
    // A partition of a day is not part of the schema: the text would change overnight.
    assert.doesNotMatch(text, /_\d{4}_\d\d_\d\d/, file);
  }
});
