import assert from "node:assert/strict";
import { join } from "node:path";
import { serveSite } from "../../site/serve.ts";
import { openFolder } from "../support/folder.ts";

Deno.test("The site is served as GitHub Pages does: a slash is added, and what is not there gets 404.html", async () => {
  await using temporary = await openFolder();
  const folder = temporary.path;
  await Deno.mkdir(join(folder, "site/keys"), { recursive: true });
  for (const [name, text] of [["404.html", "lost"], ["keys/index.html", "keys"], ["keys.md", "# keys"]]) {
    await Deno.writeTextFile(join(folder, "site", name!), text!);
  }
  await Deno.writeTextFile(join(folder, "outside.txt"), "outside");
  await using server = serveSite(join(folder, "site"), "/crm/");
  const get = async (path: string) => {
    const response = await fetch(new URL(path, server.url), { redirect: "manual" });
    return [response.status, response.headers.get("content-type"), await response.text()];
  };
  assert.deepEqual(await get("/crm/keys/"), [200, "text/html; charset=utf-8", "keys"]);
  assert.deepEqual(await get("/crm/keys.md"), [200, "text/markdown; charset=utf-8", "# keys"]);
  assert.equal((await get("/crm/keys"))[0], 301);
  for (const path of ["/crm/no-such-page/", "/keys/", "/crm/%2e%2e/outside.txt", "/crm/..%2foutside.txt"]) {
    assert.deepEqual(await get(path), [404, "text/html; charset=utf-8", "lost"], path);
  }
});
