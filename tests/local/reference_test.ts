import assert from "node:assert/strict";
import { join } from "node:path";
import { openGateway } from "../../run/local/gateway.ts";
import { openReference, REFERENCE_PREFIX } from "../../run/local/reference/reference.ts";
import { startStackProcess } from "../../run/local/stack_process.ts";
import { createBuild } from "../../run/local/static/build.ts";
import { documentText } from "../../tools/openapi/files.ts";
import { testOnDataDir } from "../support/own_stack.ts";

const BROWSER = { headers: { accept: "text/html,*/*;q=0.8" }, redirect: "manual" } as const;

/** A build of two pages, which waits for a file that lets it go on. */
const BUILD = `
const [folder] = Deno.args;
while (await Deno.stat(folder + "/go").then(() => false, () => true)) await new Promise((r) => setTimeout(r, 20));
await Deno.mkdir(folder + "/local/en", { recursive: true });
await Deno.writeTextFile(folder + "/local/index.html", "Referência");
await Deno.writeTextFile(folder + "/local/en/index.html", "Reference");
`;

interface Served {
  origin: string;
  /** Lets the build go on. */
  finishBuild(): Promise<void>;
}

async function serve(build: string, run: (served: Served) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(join(folder, "build.ts"), build);
  await Deno.mkdir(join(folder, "functions"));
  const out = join(folder, "local");
  const gateway = openGateway(0);
  const reference = openReference(
    gateway.origin,
    out,
    createBuild({ out, sources: [], command: ["run", "-A", join(folder, "build.ts"), folder] }),
  );
  gateway.serve(REFERENCE_PREFIX, reference.handle);
  await gateway.openFunctions(join(folder, "functions"));
  try {
    await run({
      origin: gateway.origin,
      finishBuild: () => Deno.writeTextFile(join(folder, "go"), ""),
    });
  } finally {
    await gateway.close();
    await reference.close();
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("Whoever opens the reference first sees that it is being prepared, then the reference", () =>
  serve(BUILD, async ({ origin, finishBuild }) => {
    for (
      const [path, lang, words] of [
        ["/docs/", "pt-BR", "está sendo preparada"],
        ["/docs/en/", "en", "is being prepared"],
      ]
    ) {
      const waiting = await fetch(origin + path, BROWSER);
      assert.equal(waiting.status, 202);
      const page = await waiting.text();
      assert.ok(page.includes(`lang="${lang}"`) && page.includes(words!), page);
      assert.match(page, /http-equiv="refresh" content="1"/);
    }
    await finishBuild();
    let opened = await fetch(`${origin}/docs/`, BROWSER);
    for (; opened.status === 202; opened = await fetch(`${origin}/docs/`, BROWSER)) {
      await opened.body?.cancel();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.equal(opened.status, 200);
    assert.equal(await opened.text(), "Referência");
    assert.equal(await (await fetch(`${origin}/docs/en/`, BROWSER)).text(), "Reference");
  }));

Deno.test("A reference that cannot be built says why", () =>
  serve(`console.error("Scalar could not be installed: no network"); Deno.exit(1);`, async ({ origin }) => {
    let opened = await fetch(`${origin}/docs/`, BROWSER);
    for (; opened.status === 202; opened = await fetch(`${origin}/docs/`, BROWSER)) {
      await opened.body?.cancel();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.equal(opened.status, 500);
    assert.match(await opened.text(), /não pôde ser preparada[^]*no network/);
  }));

Deno.test("The documents beside the reference name the stack that serves them, and need no build", () =>
  serve("Deno.exit(1);", async ({ origin }) => {
    for (const [path, language] of [["/docs/openapi.json", "pt"], ["/docs/en/openapi.json", "en"]] as const) {
      const response = await fetch(origin + path);
      assert.equal(response.headers.get("content-type"), "application/json");
      assert.equal(response.headers.get("x-content-type-options"), "nosniff");
      const { servers, ...document } = await response.json();
      assert.deepEqual(servers.map(({ url }: { url: string }) => url), [`${origin}/functions/v1`]);
      const { servers: _, ...own } = JSON.parse(documentText("api", language));
      assert.deepEqual(document, own);
    }
  }));

Deno.test("An address of the reference without its last slash leads to the one with it", () =>
  serve("Deno.exit(1);", async ({ origin }) => {
    for (const path of ["/docs", "/docs/en"]) {
      const { status, headers } = await fetch(origin + path, { redirect: "manual" });
      assert.deepEqual([status, headers.get("location")], [301, `${path}/`]);
      // Another program may be at this port tomorrow.
      assert.equal(headers.get("cache-control"), "no-cache");
    }
    for (const path of ["/docsx", "/docs/nowhere.js", "/docs/%2e%2e/deno.json"]) {
      const { status, body } = await fetch(origin + path);
      await body?.cancel();
      assert.equal(status, 404, path);
    }
  }));

testOnDataDir(
  "A start prints where the reference is, and its document leads to the functions",
  async (dataDir) => {
    const stack = await startStackProcess(dataDir);
    try {
      const [, address] = /^Reference, with try-it: (\S+)$/m.exec(stack.output())!;
      const { servers: [server] } = await (await fetch(new URL("openapi.json", address))).json();
      assert.equal(server.url, stack.file.base_url);
      const health = await fetch(`${server.url}/api-v1-health`);
      await health.body?.cancel();
      assert.equal(health.status, 200);
    } finally {
      await stack.stop();
    }
  },
);
