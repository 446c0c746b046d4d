import assert from "node:assert/strict";
import { readSettings } from "../../site/settings.ts";

const read = (variables: Record<string, string>) => readSettings((name) => variables[name]);

Deno.test("The path of a repository gets its final slash; a path without its first slash, and an origin with a path, are refused by name", () => {
  assert.equal(read({ SITE_BASE_PATH: "/crm-api" }).base, "/crm-api/");
  for (const path of ["crm", "//example.com/", "/a b/", "https://example.com/"]) {
    assert.throws(() => read({ SITE_BASE_PATH: path }), /SITE_BASE_PATH/);
  }
  for (const origin of ["example.com", "https://example.com/", "https://example.com/crm"]) {
    assert.throws(() => read({ SITE_ORIGIN: origin }), /SITE_ORIGIN/);
  }
});
