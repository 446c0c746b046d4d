import assert from "node:assert/strict";
import { referencePage } from "../../tools/reference/page.ts";

const LINKS = {
  scalar: "assets/scalar.js",
  start: "assets/start.js",
  style: "assets/page.css",
  document: "openapi.json",
  otherLanguage: "en/",
};

function configurationOf(page: string) {
  return JSON.parse(/<script type="application\/json" id="configuration">(.*?)<\/script>/s.exec(page)![1]!);
}

Deno.test("A page of the reference names no other host, and no address that begins with a slash", () => {
  for (const language of ["pt", "en"] as const) {
    const page = referencePage(language, LINKS, "");
    assert.doesNotMatch(page, /https?:|\/\//);
    const addresses = [...page.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address]) => address!);
    assert.deepEqual(addresses.toSorted(), [...Object.values(LINKS), LINKS.document, "data:,"].toSorted());
  }
});

Deno.test("The policy of a page allows only scripts and calls of its own origin", () => {
  const page = referencePage("pt", LINKS, "</script><b>");
  const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)!;
  const directives = new Map(
    policy!.split("; ").map((directive) => directive.split(/ (.*)/s) as [string, string]),
  );
  for (const name of ["script-src", "connect-src", "font-src"]) assert.equal(directives.get(name), "'self'");
  assert.equal(directives.get("default-src"), "'none'");
  assert.equal(configurationOf(page).customCss, "</script><b>");
});

Deno.test("Showing the reference installs one package: the bundle has all that it needs", async () => {
  const lock = await Deno.readTextFile(new URL("../../tools/reference/scalar/deno.lock", import.meta.url));
  const { imports } = JSON.parse(
    await Deno.readTextFile(new URL("../../tools/reference/scalar/deno.json", import.meta.url)),
  );
  const [bundle] = Object.values<string>(imports);
  // Run `deno run -A tools/reference/scalar/lock.ts` after a change of the version.
  assert.deepEqual(Object.keys(JSON.parse(lock).npm), [bundle!.slice("npm:".length)]);
});
