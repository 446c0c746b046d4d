import assert from "node:assert/strict";
import { readSettings } from "../../site/settings.ts";

const read = (variables: Record<string, string>) => readSettings((name) => variables[name]);

Deno.test("Without variables the site is built for the root of an unknown host", () => {
  const none = { base: "/", origin: undefined, console: undefined };
  assert.deepEqual(read({}), none);
  assert.deepEqual(read({ SITE_BASE_PATH: "", SITE_ORIGIN: "", SITE_CONSOLE: "" }), none);
});

Deno.test("The path of a repository gets its final slash", () => {
  const origin = "https://example.github.io";
  for (const path of ["/crm-api", "/crm-api/"]) {
    const settings = read({ SITE_BASE_PATH: path, SITE_ORIGIN: origin });
    assert.deepEqual([settings.base, settings.origin], ["/crm-api/", origin]);
  }
  assert.equal(read({ SITE_BASE_PATH: "/" }).base, "/");
});

Deno.test("A path that does not begin with a slash, and an origin with a path, are refused, and the error names the variable", () => {
  for (const path of ["crm", "//example.com/", "/a b/", "https://example.com/"]) {
    assert.throws(() => read({ SITE_BASE_PATH: path }), /SITE_BASE_PATH/);
  }
  for (const origin of ["example.com", "https://example.com/", "https://example.com/crm"]) {
    assert.throws(() => read({ SITE_ORIGIN: origin }), /SITE_ORIGIN/);
  }
});
