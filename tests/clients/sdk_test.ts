/**
 * The SDK as integrators get it: built, packed, installed into an empty folder, and used on Node and Bun. `tests/sdk/`
 * tests its sources on Deno.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { blocksOf, openPage } from "../docs/claims.ts";
import { openFolder } from "../support/folder.ts";
import { deno, run } from "../support/run.ts";
import { stack } from "../support/stack.ts";
import { typeErrors } from "./support/type_check.ts";

const SDK = join(import.meta.dirname!, "../../clients/sdk");
const DIST = join(SDK, "dist");
const PROGRAM = join(import.meta.dirname!, "programs/first_lead.js");
const BUN = "bun@1.4.5";
/** The environment of an integrator's program. */
const ENVIRONMENT = { CRM_URL: stack.base_url, CRM_KEY: stack.demo_key };

/** What the program prints if all is well. */
const EXPECTED = { status: 201, names: ["Ana"], code: "validation_error", created: 1, event: "deal.won" };

const page = await openPage("sdk", { sh: 2 });
await deno(["task", "sdk:build"]);

/** A folder with the program, in which the package is installed as it is packed. */
async function openInstalled() {
  const folder = await openFolder();
  await Deno.writeTextFile(join(folder.path, "package.json"), '{ "type": "module" }');
  const { stdout } = await run("npm", ["pack", "--silent", "--pack-destination", folder.path], { cwd: SDK });
  const install = ["install", "--silent", "--no-audit", "--no-fund", `./${stdout.trim()}`];
  await run("npm", install, { cwd: folder.path });
  await Deno.copyFile(PROGRAM, join(folder.path, "main.js"));
  return folder;
}

Deno.test("npm would publish the built modules with their declarations, and depend on nothing", async () => {
  const { stdout } = await run("npm", ["publish", "--dry-run", "--json"], { cwd: SDK });
  const report = JSON.parse(stdout);
  const files: string[] = (report["@crm-api/sdk"] ?? report).files.map(({ path }: { path: string }) => path);
  for (const path of ["LICENSE", "README.md", "package.json", "dist/index.js", "dist/types/index.d.ts"]) {
    assert.ok(files.includes(path), path);
  }
  assert.deepEqual(files.filter((path) => path.startsWith("src/") || path.includes("node_modules")), []);
  const manifest = JSON.parse(await Deno.readTextFile(join(SDK, "package.json")));
  assert.equal(manifest.dependencies, undefined);
  assert.equal(JSON.parse(await Deno.readTextFile(join(SDK, "jsr.json"))).version, manifest.version);
});

Deno.test("JSR would publish the sources, in which every public type is explicit", async () => {
  // Fails if a public type would have to be inferred ("slow types").
  const publish = ["publish", "--config", "jsr.json", "--dry-run", "--allow-dirty"];
  const { stderr } = await deno(publish, { cwd: SDK });
  assert.match(stderr, /Dry run complete/);
  assert.match(stderr, /src\/index\.ts/);
});

const RUNTIMES = { node: ["node"], bun: ["npx", "-y", BUN, "run"] };
for (const [runtime, command] of Object.entries(RUNTIMES)) {
  Deno.test(`In an empty folder, two commands and one file send the first lead on ${runtime}`, async () => {
    const [program, ...args] = [...command, "main.js"];
    await using folder = await openInstalled();
    const { stdout } = await run(program!, args, { cwd: folder.path, env: ENVIRONMENT });
    assert.deepEqual(JSON.parse(stdout), { ...EXPECTED, runtime });
  });
}

Deno.test("The commands on the SDK page build and install it, and its first program sends a lead", async () => {
  const [build, install] = page.blocks.sh as [string, string];
  const program = blocksOf(page.pt).find(({ language }) => language === "js")!.content;
  const [, file, command] = /^\/\/ (\S+): (.*)$/m.exec(program)!;
  await using folder = await openFolder();
  await Deno.writeTextFile(join(folder.path, file!), program);
  await Deno.remove(DIST, { recursive: true });
  const lines = [build, `cd "${folder.path}"`, install, command!];
  const { stdout } = await run("bash", ["-ec", lines.join("\n")]);
  assert.match(stdout, /^(criado|já existia) [0-9a-f-]{36}\n$/m);
});

Deno.test("The declarations type-check for an integrator, and refuse what the API would refuse", async () => {
  await using folder = await openInstalled();
  const consumer = join(import.meta.dirname!, "consumers/sdk.ts");
  await Deno.copyFile(consumer, join(folder.path, "consumer.ts"));
  assert.deepEqual(await typeErrors(folder.path), []);
});
