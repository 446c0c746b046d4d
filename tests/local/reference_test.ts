import assert from "node:assert/strict";
import { join } from "node:path";
import { eventually } from "../../bench/harness/waiting.ts";
import { openGateway } from "../../run/local/gateway.ts";
import { openReference, REFERENCE_PREFIX } from "../../run/local/static/reference.ts";
import { createBuild } from "../../run/local/static/build.ts";
import { openFolder } from "../support/folder.ts";
import { baseUrl } from "../support/stack.ts";

const BROWSER = { headers: { accept: "text/html,*/*;q=0.8" }, redirect: "manual" } as const;

/** Builds a page in each language. */
const BUILD = `
const [folder] = Deno.args;
await Deno.mkdir(folder + "/local/en", { recursive: true });
await Deno.writeTextFile(folder + "/local/index.html", "Referência");
await Deno.writeTextFile(folder + "/local/en/index.html", "Reference");
`;

/** Serves the reference through a separate gateway. */
async function serve(run: (origin: string) => Promise<void>): Promise<void> {
  await using temporary = await openFolder();
  const folder = temporary.path;
  await Deno.writeTextFile(join(folder, "build.ts"), BUILD);
  await Deno.mkdir(join(folder, "functions"));
  const out = join(folder, "local");
  const gateway = openGateway(0);
  const command = ["run", "-A", join(folder, "build.ts"), folder];
  const reference = openReference(gateway.origin, out, createBuild({ out, sources: [], command }));
  gateway.serve(REFERENCE_PREFIX, reference.handle);
  await gateway.openFunctions(join(folder, "functions"));
  try {
    await run(gateway.origin);
  } finally {
    await gateway.close();
    await reference.close();
  }
}

// tests/local/console_test.ts tests what console and reference share: failing builds, newer sources, files.
Deno.test("The reference is built when it is first opened; until then a page in its language says so", () =>
  serve(async (origin) => {
    const pages = [
      ["/docs/", "está sendo preparada", "Referência"],
      ["/docs/en/", "is being prepared", "Reference"],
    ] as const;
    for (const [path, waiting] of pages) {
      const response = await fetch(origin + path, path === "/docs/" ? {} : BROWSER);
      const text = await response.text();
      assert.ok(response.status === 200 || text.includes(waiting), text);
    }
    for (const [path, , built] of pages) {
      const text = await eventually(async () => {
        const response = await fetch(origin + path, BROWSER);
        const text = await response.text();
        return response.status === 200 && text;
      }, "the reference to be built");
      assert.equal(text, built);
    }
  }));

Deno.test("The OpenAPI documents of the reference name the stack as their server", async () => {
  const documents = [
    ["/docs/openapi.json", /^API pública do CRM/],
    ["/docs/en/openapi.json", /^The CRM's public API/],
  ] as const;
  for (const [path, description] of documents) {
    const response = await fetch(new URL(path, baseUrl));
    assert.equal(response.headers.get("content-type"), "application/json");
    assert.equal(response.headers.get("x-content-type-options"), "nosniff");
    const { servers, info, paths } = await response.json();
    assert.deepEqual(servers.map(({ url }: { url: string }) => url), [baseUrl]);
    assert.match(info.description, description);
    assert.ok(Object.hasOwn(paths, "/api-v1-leads"));
  }
});

Deno.test("An address of the reference without its final slash redirects to the page", () =>
  serve(async (origin) => {
    for (const path of ["/docs", "/docs/en"]) {
      const { status, headers } = await fetch(origin + path, { redirect: "manual" });
      assert.deepEqual([status, headers.get("location")], [301, `${path}/`]);
      // Without this header, browsers would keep the redirect, even for another program on this port.
      assert.equal(headers.get("cache-control"), "no-cache");
    }
    for (const path of ["/docsx", "/docs/nowhere.js", "/docs/%2e%2e/deno.json"]) {
      const { status, body } = await fetch(origin + path);
      await body?.cancel();
      assert.equal(status, 404, path);
    }
  }));
