// Runs the commands of the site's page on tools in a copy of the files that they use.
import assert from "node:assert/strict";
import { basename, join } from "node:path";
import { openPage } from "../docs/claims.ts";
import { openFolder } from "../support/folder.ts";
import { makeWorkspaceWithDeal } from "../support/fixtures.ts";
import { openMailbox } from "../support/mailbox.ts";
import { makeProposal, tokenOf } from "../support/proposals.ts";
import { run } from "../support/run.ts";
import { baseUrl, openDatabase } from "../support/stack.ts";
import { API_DOCUMENT, writeCollections, writeDocuments } from "./support/documents.ts";
import config from "./deno.json" with { type: "json" };

const CONFIG = join(import.meta.dirname!, "deno.json");

const { blocks } = await openPage("tools", { sh: 3, ts: 1 });
const [types, client, collection] = blocks.sh as [string, string, string];

Deno.test("The page on tools generates types, and its program lists the deals of a workspace with them", async () => {
  await using reader = await openReader();
  await using sql = openDatabase();
  const { workspace } = await makeWorkspaceWithDeal(sql);
  await reader.run(types);
  await Deno.writeTextFile(join(reader.path, "client.ts"), blocks.ts[0]!);
  const variables = { CRM_URL: baseUrl, CRM_KEY: workspace.key };
  const printed = await reader.deno(["run", "-A", "--check", "--config", CONFIG, "client.ts"], variables);
  assert.equal(printed, "Ana aberto\n");
});

Deno.test("The client that the page on tools generates has a function for each operation", async () => {
  await using reader = await openReader();
  await reader.run(client);
  const functions = await Deno.readTextFile(join(reader.path, "crm/sdk.gen.ts"));
  for (const name of ["contactsList", "dealsWin", "leadsCreate"]) {
    assert.match(functions, new RegExp(`\\b${name}\\b`));
  }
});

Deno.test("The command on the page on tools runs the whole collection, and every call is answered as declared", async () => {
  await using reader = await openReader();
  await using sql = openDatabase();
  const { workspace, deal } = await makeWorkspaceWithDeal(sql);
  const newToken = async () => tokenOf((await makeProposal(sql, deal.id)).link);
  // newman exits with 1 if a request or a test of its reply fails.
  await reader.run(collection, {
    CRM_URL: baseUrl,
    CRM_KEY: workspace.key,
    TARGET: openMailbox().url,
    PROPOSAL: await newToken(),
    OTHER_PROPOSAL: await newToken(),
  });
});

/** A folder with the files that the reader downloads. Its npx runs the packages that tests/clients/deno.json pins. */
async function openReader() {
  const folder = await openFolder();
  await writeDocuments();
  for (const file of [API_DOCUMENT, join(await writeCollections(), "crm.postman_collection.json")]) {
    await Deno.copyFile(file, join(folder.path, basename(file)));
  }
  const output = async (program: string, args: string[], env: Record<string, string>) =>
    (await run(program, args, { cwd: folder.path, env })).stdout;
  return {
    ...folder,
    deno: (args: string[], env: Record<string, string>) => output(Deno.execPath(), args, env),
    /** Runs a block; `npx -y name@version` runs the pinned package, which must have that version. */
    run(block: string, env: Record<string, string> = {}) {
      const [, name, version] = /^npx -y (\S+)@(\S+) /.exec(block) ?? [];
      const imports: Record<string, string> = config.imports;
      assert.equal(imports[name!], `npm:${name}@${version}`);
      const script =
        'npx() { shift; spec=$1; shift; "$DENO" run -A --quiet --config "$CONFIG" "npm:$spec" "$@"; }';
      return output("sh", ["-ec", `${script}\n${block}`], { ...env, DENO: Deno.execPath(), CONFIG });
    },
  };
}
