import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { eventually, pause } from "../../bench/harness/waiting.ts";
import { openConsole } from "../../run/local/static/console.ts";
import { openGateway } from "../../run/local/gateway.ts";
import { createBuild } from "../../run/local/static/build.ts";
import { openFolder } from "../support/folder.ts";
import { sendRaw } from "../support/raw_request.ts";

const POLICY = "default-src 'none'; script-src 'self'; connect-src 'self' https://x.example";

function page(text: string): string {
  return `<!doctype html><meta http-equiv="Content-Security-Policy" content="${POLICY}"><title>${text}</title>`;
}

/** The files of a build, and files that must not be served. */
const FILES = {
  "dist/index.html": page("Início"),
  "dist/404.html": page("Página não encontrada"),
  "dist/chaves/index.html": page("Chaves"),
  "dist/assets/main-7PGRT7ZA.js": "export {};",
  "dist/assets/main-component.css": "body { color: green }",
  "dist/assets/icon.svg": "<svg/>",
  "dist/data.bin": "x",
  "dist/.local": "",
  "dist/.hidden/index.html": "secret",
  "outside.html": "secret",
};

interface Served {
  folder: string;
  get(path: string, init?: RequestInit): Promise<Response>;
  /** Sends the path unchanged; `fetch` would normalize it. */
  getRaw(path: string): Promise<string>;
}

/**
 * Changes a source file, then waits 20 ms. A file that changed in the same millisecond as the build ran would still
 * count as newer than the build.
 */
async function change(source: string, text: string): Promise<void> {
  await Deno.writeTextFile(source, text);
  await pause(20);
}

/** Serves `dist` of a temporary folder through a gateway. `build` is the text of the program that makes `dist`. */
async function serve(build: string, run: (served: Served) => Promise<void>): Promise<void> {
  await using temporary = await openFolder();
  const folder = temporary.path;
  const write = async (path: string, text: string) => {
    await Deno.mkdir(dirname(join(folder, path)), { recursive: true });
    await Deno.writeTextFile(join(folder, path), text);
  };
  for (const [path, text] of Object.entries(FILES)) await write(path, text);
  await write("source/pages/page.ts", "1");
  // The source is older than the build (dist/.local), so that the build is current.
  const anHourAgo = new Date(Date.now() - 3_600_000);
  await Deno.utime(join(folder, "source/pages/page.ts"), anHourAgo, anHourAgo);
  await write("build.ts", build);
  const out = join(folder, "dist");
  const builder = createBuild({
    out,
    sources: [join(folder, "source")],
    command: ["run", "-A", join(folder, "build.ts"), folder],
  });
  const gateway = openGateway(0);
  const served = openConsole(out, builder);
  gateway.serve("/", served.handle);
  await Deno.mkdir(join(folder, "functions"));
  await gateway.openFunctions(join(folder, "functions"));
  try {
    await run({
      folder,
      get: (path, init) => fetch(gateway.origin + path, { redirect: "manual", ...init }),
      getRaw: (path) => sendRaw(gateway.origin, [`GET ${path} HTTP/1.1`, "Host: x", "Accept: text/html"]),
    });
  } finally {
    await gateway.close();
    await served.close();
  }
}

/** Runs a test against a console whose build is current. */
function test(title: string, run: (served: Served) => Promise<void>): void {
  Deno.test(title, () => serve("Deno.exit(1);", run));
}

const BROWSER = { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } };

test("A page has the policy of its meta tag as a header, and is not cached", async ({ get }) => {
  const pages = [["/", "Início"], ["/chaves/", "Chaves"], ["/chaves/?id=1", "Chaves"]] as const;
  for (const [path, text] of pages) {
    const response = await get(path, BROWSER);
    assert.equal(response.status, 200);
    assert.equal(await response.text(), page(text));
    const headers = {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": POLICY,
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
    };
    for (const [name, value] of Object.entries(headers)) assert.equal(response.headers.get(name), value);
  }
});

test("A file has its type; a file with a hash in its name is cached for good", async ({ get }) => {
  const cases = [
    ["/assets/main-7PGRT7ZA.js", "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"],
    ["/assets/main-component.css", "text/css; charset=utf-8", "no-cache"],
    ["/assets/icon.svg", "image/svg+xml", "no-cache"],
    ["/data.bin", "application/octet-stream", "no-cache"],
  ];
  for (const [path, type, cache] of cases) {
    const response = await get(path!);
    assert.equal(await response.text(), FILES[`dist${path}` as keyof typeof FILES]);
    assert.deepEqual(
      ["content-type", "cache-control", "x-content-type-options"].map((name) => response.headers.get(name)),
      [type, cache, "nosniff"],
    );
  }
});

test("A browser that already has the file gets 304, and HEAD gets no body", async ({ get }) => {
  const first = await get("/assets/icon.svg");
  const etag = first.headers.get("etag")!;
  assert.match(etag, /^(W\/)?".{43}"$/);
  assert.equal(await first.text(), "<svg/>");
  for (const tags of [etag, `"other", ${etag}`, `W/${etag.replace(/^W\//, "")}`]) {
    const again = await get("/assets/icon.svg", { headers: { "if-none-match": tags } });
    assert.deepEqual([again.status, await again.text()], [304, ""]);
  }
  assert.equal(
    await (await get("/assets/icon.svg", { headers: { "if-none-match": '"other"' } })).text(),
    "<svg/>",
  );
  const head = await get("/chaves/", { method: "HEAD" });
  assert.deepEqual([head.status, await head.text()], [200, ""]);
  assert.equal(head.headers.get("content-length"), String(new TextEncoder().encode(page("Chaves")).length));
});

test("An address without its final slash redirects to the page, with the query", async ({ get }) => {
  const response = await get("/chaves?id=1", BROWSER);
  assert.deepEqual([response.status, response.headers.get("location")], [301, "/chaves/?id=1"]);
  await response.body?.cancel();
});

test("An unknown address gets a page in a browser and JSON otherwise; POST is refused", async ({ get }) => {
  const lost = await get("/nada/", BROWSER);
  assert.deepEqual([lost.status, await lost.text()], [404, page("Página não encontrada")]);
  assert.equal(lost.headers.get("content-security-policy"), POLICY);
  for (const [path, init] of [["/nada/", {}], ["/x.js", BROWSER], ["/nada", { method: "POST" }]] as const) {
    const response = await get(path, init);
    assert.deepEqual([response.status, (await response.json()).error.code], [404, "not_found"], path);
  }
  const posted = await get("/chaves/", { method: "POST", body: "x" });
  assert.deepEqual([posted.status, posted.headers.get("allow"), await posted.text()], [405, "GET, HEAD", ""]);
});

test("No path leads out of the folder, to a hidden file or to another host", async ({ getRaw }) => {
  const paths = [
    ...["/../outside.html", "/chaves/../../outside.html", "/..%2foutside.html", "/%2e%2e/outside.html"],
    ...["/%2e%2e%2foutside.html", "/chaves/..%5c..%5coutside.html", "/..\\outside.html", "//outside.html"],
    ...["/.local", "/.hidden/", "/assets/%00", "//evil.example/chaves", "//evil.example/%2e%2e/chaves"],
    ...["/\\evil.example", "/%5cevil.example", "//chaves"],
  ];
  for (const path of paths) {
    const response = await getRaw(path);
    assert.match(response, /^HTTP\/1\.1 404 /, path);
    assert.doesNotMatch(response, /secret|location:/i, path);
  }
});

/** Waits until the page no longer says that the console is being prepared. */
function waitForPage(get: Served["get"]): Promise<Response> {
  return eventually(async () => {
    const response = await get("/", BROWSER);
    if (response.status !== 202) return response;
    const text = await response.text();
    assert.match(text, /O console está sendo preparado…/);
    assert.match(text, /<meta http-equiv="refresh" content="1">/);
    assert.equal(response.headers.get("cache-control"), "no-store");
    return false;
  }, "the console to be built");
}

const BUILD = `const [folder] = Deno.args;
  const source = await Deno.readTextFile(folder + "/source/pages/page.ts");
  if (source === "bad") { console.error("error: <page> \\u001b[1mis bad"); Deno.exit(1); }
  await new Promise((resolve) => setTimeout(resolve, 300));
  await Deno.remove(folder + "/dist", { recursive: true });
  await Deno.mkdir(folder + "/dist");
  const builds = folder + "/builds";
  await Deno.writeTextFile(builds, "x", { append: true });
  await Deno.writeTextFile(folder + "/dist/index.html", source + " " + (await Deno.readTextFile(builds)).length);`;

Deno.test("The console is built once, when a browser first opens it, and again when a source is newer", async () => {
  await serve(BUILD, async ({ folder, get }) => {
    // A build without the file .local may be for another address, so it is not served but built again.
    await Deno.remove(join(folder, "dist/.local"));
    await (await get("/api-v1-leads")).body?.cancel();
    const pages = await Promise.all([waitForPage(get), waitForPage(get), waitForPage(get)]);
    for (const page of pages) assert.equal(await page.text(), "1 1");
    assert.equal(await (await get("/", BROWSER)).text(), "1 1");

    await change(join(folder, "source/pages/page.ts"), "2");
    assert.equal(await (await waitForPage(get)).text(), "2 2");
    assert.equal(await (await get("/", BROWSER)).text(), "2 2");
    assert.equal(await Deno.readTextFile(join(folder, "builds")), "xx");
  });
});

Deno.test("A page shows the last lines of a failed build; opening it again starts another build", async () => {
  await serve(BUILD, async ({ folder, get }) => {
    const source = join(folder, "source/pages/page.ts");
    await change(source, "bad");
    const failed = await waitForPage(get);
    assert.equal(failed.status, 500);
    const text = await failed.text();
    assert.match(text, /O console não pôde ser preparado/);
    assert.match(text, /error: &#60;page&#62; .*is bad/);
    assert.ok(!text.includes("refresh") && !text.includes("\u001b"), text);
    await change(source, "good");
    assert.equal(await (await waitForPage(get)).text(), "good 1");
  });
});

Deno.test("Closing the server ends a build in progress", async () => {
  const startedAt = performance.now();
  await serve(`await new Promise((resolve) => setTimeout(resolve, 60_000));`, async ({ folder, get }) => {
    await Deno.remove(join(folder, "dist/.local"));
    const response = await get("/");
    assert.equal(response.status, 202);
    await response.body?.cancel();
  });
  // The build itself would take 60 s.
  assert.ok(performance.now() - startedAt < 50_000);
});
