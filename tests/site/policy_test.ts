import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { withPolicy } from "../../site/policy.ts";

const page = (scripts: string) =>
  `<!doctype html><html><head><meta charset="utf-8"/>${scripts}</head></html>`;
const scriptSource = (html: string) =>
  /http-equiv="Content-Security-Policy" content="[^"]*script-src ([^;"]*)/.exec(html)![1]!.split(" ");
const hash = (script: string) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`;

Deno.test("A page's policy allows the scripts that it was built with, and no others", () => {
  const html = withPolicy(
    page(`<script>one()</script><script type="module">two()</script><script src="/x.js"></script>`),
  );
  assert.deepEqual(scriptSource(html), ["'self'", "'wasm-unsafe-eval'", hash("one()"), hash("two()")]);
});

Deno.test("A page's policy stands before its first script, and names no other host", () => {
  const html = withPolicy(page("<script>one()</script>"));
  assert.ok(html.indexOf("Content-Security-Policy") < html.indexOf("<script>"));
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)![1]!;
  assert.match(policy, /^default-src 'none'; /);
  assert.doesNotMatch(policy, /\*|https?:|'unsafe-eval'/);
  assert.doesNotMatch(policy, /script-src[^;]*'unsafe-inline'/);
});

Deno.test("A page in which no policy can stand is refused", () => {
  assert.throws(() => withPolicy("<html></html>"), /no meta element with its charset/);
});
