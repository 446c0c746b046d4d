// The build of the console. It needs the console's packages, which the default tests do not download.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { PAGES } from "../../console/build/pages.ts";

const BUILD = fileURLToPath(new URL("../../console/build.ts", import.meta.url));
const PROJECT = "https://abcdefghijklmnopqrst.supabase.co";
const FILES = PAGES.map(({ path }) => path.slice(1).replace(/(^|\/)$/, "$1index.html"));

async function build(out: string, env: Record<string, string> = {}) {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", BUILD, out],
    env: {
      CONSOLE_BASE_PATH: "",
      CONSOLE_SUPABASE_URL: "",
      CONSOLE_PUBLISHABLE_KEY: "",
      NO_COLOR: "1",
      ...env,
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
  const { success, stdout, stderr } = await command.output();
  return { success, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}

/** The URLs that a document loads. */
function addressesIn(html: string): string[] {
  return [...html.matchAll(/ (?:src|href)="([^"]*)"/g)].map(([, address]) => address!);
}

Deno.test("The console is built for a base path and a project, within its size limit, without inline scripts or other hosts", async () => {
  const folder = await Deno.makeTempDir();
  const out = join(folder, "dist");
  try {
    const { success, stdout, stderr } = await build(out, {
      CONSOLE_BASE_PATH: "/crm/",
      CONSOLE_SUPABASE_URL: `${PROJECT}/`,
      CONSOLE_PUBLISHABLE_KEY: "sb_publishable_x",
    });
    assert.ok(success, stderr);
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

    const again = await build(out);
    assert.ok(again.success, again.stderr);
    assert.ok(
      addressesIn(await Deno.readTextFile(join(out, "index.html"))).every((a) => a.startsWith("/assets/")),
    );
    assert.deepEqual([...Deno.readDirSync(dirname(out))].map(({ name }) => name), ["dist"]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("The build of the console names an invalid variable and keeps the previous build", async () => {
  const folder = await Deno.makeTempDir();
  const out = join(folder, "dist");
  try {
    await Deno.mkdir(out);
    for (
      const [name, value] of [
        ["CONSOLE_BASE_PATH", "/crm"],
        ["CONSOLE_SUPABASE_URL", "abcdefghijklmnopqrst"],
        ["CONSOLE_PUBLISHABLE_KEY", "sb_secret_x"],
      ] as const
    ) {
      const { success, stderr } = await build(out, { [name]: value });
      assert.equal(success, false, name);
      assert.match(stderr, new RegExp(`^error: .*${name} is `, "m"));
    }
    assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["dist"]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
