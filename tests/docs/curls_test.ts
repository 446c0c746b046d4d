import assert from "node:assert/strict";
import { resolve } from "node:path";
import { needing } from "../support/needing.ts";
import { apiResources } from "../support/resources.ts";
import { dataDir } from "../support/stack.ts";

const read = (page: string) => Deno.readTextFile(new URL(`../../docs/${page}`, import.meta.url));
const page = await read("resources.md");

Deno.test("docs/resources.md has a section with a curl for every resource", () => {
  const sections = page.split(/^## /m).slice(1);
  for (const { name } of apiResources) {
    const called = sections.filter((section) =>
      section.includes(`curl`) && section.includes(`"$BASE/${name}`)
    );
    assert.equal(called.length, 1, name);
  }
});

for (const name of ["resources.md", "events.md"]) {
  Deno.test(needing(["bash", "curl"], {
    name: `The curls of docs/${name} work as pasted, one after the other`,
    fn: async () => {
      const blocks = [...(await read(name)).matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block!);
      const folder = await Deno.makeTempDir();
      try {
        // curl fails on an error reply, and the script ends at the first failure.
        const script = ["set -eo pipefail", 'curl() { command curl --fail-with-body "$@"; }', ...blocks].join(
          "\n",
        );
        const { success, stdout, stderr } = await new Deno.Command("bash", {
          args: ["-c", script],
          cwd: folder,
          env: { DATA_DIR: resolve(dataDir) },
        })
          .output();
        const printed = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("\n");
        assert.ok(success, printed);
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  }));
}
