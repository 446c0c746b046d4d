// Uses every block of the MCP page, in both languages: runs the commands, and connects with the configurations.
import assert from "node:assert/strict";
import { REVISIONS } from "../../supabase/functions/mcp/revisions.ts";
import { TOOLS } from "../../supabase/functions/mcp/tools.ts";
import { MCP_URL, post, request } from "../support/mcp.ts";
import { needing } from "../support/needing.ts";
import { run } from "../support/run.ts";
import { test } from "../support/scenario.ts";
import { baseUrl, stack } from "../support/stack.ts";
import { openPage } from "./claims.ts";

const ADDRESS = "https://crm.example.com/functions/v1/mcp";

const { pt: portuguese, en: english, blocks } = await openPage("mcp", { json: 4, sh: 3 });

/** The configurations; they take the key from an input, from a variable, or contain it. */
const configurations = blocks.json.map((text) => JSON.parse(text));

Deno.test(needing(["bash", "curl"], {
  name: "The commands of the MCP page run as pasted, and Claude Code connects with what they configure",
  fn: async () => {
    // In place of Claude Code, a shell function prints its arguments.
    const script = [
      "set -eo pipefail",
      'curl() { command curl --fail-with-body "$@"; echo; }',
      `claude() { for argument in "$@"; do printf 'claude %s\\n' "$argument"; done; }`,
      ...blocks.sh,
    ].join("\n");
    const { stdout } = await run("bash", ["-c", script], {
      env: { CRM_URL: baseUrl, CRM_KEY: stack.demo_key },
    });
    const lines = stdout.trim().split("\n");
    const told = lines.flatMap((line) => /^claude (.*)/.exec(line)?.[1] ?? []);
    assert.deepEqual(told.slice(0, 5), ["mcp", "add", "--transport", "http", "crm"]);
    assert.deepEqual([told[5], told[6]], [MCP_URL, "--header"]);
    assert.deepEqual(told.slice(8), ["mcp", "list"]);
    const [name, key] = told[7]!.split(": ");
    assert.equal((await post(request("tools/list"), { [name!]: key! })).status, 200);

    const [list, called] = lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
    const sales = [...TOOLS.values()].filter(({ toolset }) => toolset === "sales");
    assert.equal(list.result.tools.length, sales.length);
    assert.ok(Array.isArray(called.result.structuredContent.data));
  },
}));

test("Each configuration on the MCP page connects with its address and with the key in its header", async ({ workspace: { key } }) => {
  assert.equal(configurations.length, 4);
  for (const { servers, mcpServers, inputs, ...tool } of configurations) {
    // The configuration for OpenAI has no list of servers: it is the entry for the server.
    const { type, server_url, url = server_url, headers, command, args, env } =
      (servers ?? mcpServers)?.crm ?? tool;
    const written: [string, string] = command
      ? (args as string[]).at(-1)!.split(":") as [string, string]
      : Object.entries<string>(headers)[0]!;
    // The header's value names an input or a variable, or is the key, depending on the program.
    const [name, value] = [written[0], command ? Object.keys(env)[0] : written[1]];
    if (servers) {
      assert.equal(type, "http");
      assert.equal(value, `\${input:${inputs[0].id}}`);
    }
    if (command) {
      assert.equal(command, "npx");
      assert.equal((args as string[]).at(-1), `${name}:\${${value}}`);
    }
    assert.equal(command ? args[2] : url, ADDRESS);
    assert.equal(new URL(ADDRESS).pathname, new URL(MCP_URL).pathname);
    assert.equal((await post(request("tools/list"), { [name]: key })).status, 200);
  }
});

Deno.test("The MCP page lists the revisions", () => {
  for (const page of [portuguese, english]) {
    assert.deepEqual([...page.matchAll(/`(\d{4}-\d\d-\d\d)`/g)].map(([, revision]) => revision), REVISIONS);
  }
});
