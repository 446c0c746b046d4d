// The build of the console. It needs the console's packages, which the default tests do not download.
import assert from "node:assert/strict";
import { join } from "node:path";
import { PAGES } from "../../console/build/pages.ts";
import { openFolder } from "../support/folder.ts";
import { deno } from "../support/run.ts";

const PROJECT = "https://abcdefghijklmnopqrst.supabase.co";
const FILES = PAGES.map(({ path }) => path.slice(1).replace(/(^|\/)$/, "$1index.html"));

/** Builds the console; returns what the build printed. */
async function build(out: string, env: Record<string, string> = {}): Promise<string> {
  const none = { CONSOLE_BASE_PATH: "", CONSOLE_SUPABASE_URL: "", CONSOLE_PUBLISHABLE_KEY: "" };
  return (await deno(["run", "-A", "console/build.ts", out], { env: { ...none, ...env } })).stdout;
}

/** The URLs that a document loads. */
function addressesIn(html: string): string[] {
  return [...html.matchAll(/ (?:src|href)="([^"]*)"/g)].map(([, address]) => address!);
}

Deno.test("The console is built for a base path and a project, within its size limit, without inline scripts or other hosts", async () => {
  await using folder = await openFolder();
  const out = join(folder.path, "dist");
  const stdout = await build(out, {
    CONSOLE_BASE_PATH: "/crm/",
    CONSOLE_SUPABASE_URL: `${PROJECT}/`,
    CONSOLE_PUBLISHABLE_KEY: "sb_publishable_x",
  });
  const [, all, limit] = stdout.match(/^all, once +([\d.]+) KB of (\d+) KB$/m)!;
  assert.ok(Number(all) <= Number(limit), stdout);
  const sizes = [...stdout.matchAll(/^\/\S* +([\d.]+) KB$/gm)].map(([, size]) => Number(size));
  assert.equal(sizes.length, FILES.length);
  assert.ok(Math.max(...sizes) <= 80, stdout);

  const loaded = new Map<string, string[]>();
  for (const page of FILES) {
    const html = await Deno.readTextFile(join(out, page));
    const addresses = addressesIn(html);
    assert.ok(addresses.length >= 4, page);
    for (const address of addresses) {
      assert.match(address, /^\/crm\/assets\/[\w-]+\.(js|css|svg)$/, page);
      await Deno.stat(join(out, address.slice("/crm/".length)));
    }
    loaded.set(page, addresses);
    assert.doesNotMatch(html, /<script(?![^>]* src=)|<style| style=| on\w+=/i, page);
    const policy = html.match(/Content-Security-Policy" content="([^"]*)"/)![1]!;
    assert.deepEqual(policy.match(/https?:\S+?(?=;)/g), [PROJECT], page);
    assert.ok(policy.startsWith("default-src 'none'; script-src 'self'; style-src 'self';"), policy);
    assert.doesNotMatch(policy, /unsafe|\*/);
  }

  // The customer's page must not load the code for signing in.
  for (const [page, signsIn] of [["proposta/index.html", false], ["entrar/index.html", true]] as const) {
    const files = loaded.get(page)!.map((address) =>
      Deno.readTextFile(join(out, address.slice("/crm/".length)))
    );
    assert.equal((await Promise.all(files)).some((text) => text.includes("refresh_token")), signsIn, page);
  }

  await build(out);
  assert.ok(
    addressesIn(await Deno.readTextFile(join(out, "index.html"))).every((a) => a.startsWith("/assets/")),
  );
  assert.deepEqual([...Deno.readDirSync(folder.path)].map(({ name }) => name), ["dist"]);
});

Deno.test("The build of the console names an invalid variable and keeps the previous build", async () => {
  await using folder = await openFolder();
  const out = join(folder.path, "dist");
  await Deno.mkdir(out);
  const wrong = {
    CONSOLE_BASE_PATH: "/crm",
    CONSOLE_SUPABASE_URL: "abcdefghijklmnopqrst",
    CONSOLE_PUBLISHABLE_KEY: "sb_secret_x",
  };
  for (const [name, value] of Object.entries(wrong)) {
    await assert.rejects(build(out, { [name]: value }), new RegExp(`^error: .*${name} is `, "m"));
  }
  assert.deepEqual([...Deno.readDirSync(folder.path)].map(({ name }) => name), ["dist"]);
});
