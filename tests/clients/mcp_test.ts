// The MCP server as the official MCP client uses it over HTTP.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
// The package exports its types under paths without `.js`.
// @ts-types="@modelcontextprotocol/sdk/client/auth"
import {
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  selectResourceURL,
} from "@modelcontextprotocol/sdk/client/auth.js";
// @ts-types="@modelcontextprotocol/sdk/client/index"
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
// @ts-types="@modelcontextprotocol/sdk/client/stdio"
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
// @ts-types="@modelcontextprotocol/sdk/client/streamableHttp"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
// @ts-types="@modelcontextprotocol/sdk/types"
import { CallToolResultSchema, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/sdk/types.js";
import {
  Client as StatelessClient,
  StreamableHTTPClientTransport as StatelessTransport,
} from "@modelcontextprotocol/client";
import { Ajv2020 } from "ajv/dist/2020.js";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { STATELESS, WITH_HANDSHAKE } from "../../supabase/functions/mcp/revisions.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { openFolder } from "../support/folder.ts";
import { baseUrl, openDatabase } from "../support/stack.ts";

const CONFIG = fileURLToPath(new URL("deno.json", import.meta.url));

/** Creates a workspace called "Teste", and a key with these scopes, or with all if none is named. */
async function makeKey(...scopes: string[]): Promise<string> {
  await using sql = openDatabase();
  return (await makeWorkspace(sql, scopes.length > 0 ? { scopes } : {})).key;
}

async function connect(key: string, header = "X-API-Key") {
  const client = new Client({ name: "teste", version: "1.0.0" });
  const headers = { [header]: header === "Authorization" ? `Bearer ${key}` : key };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), { requestInit: { headers } }),
  );
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const result = await client.callTool({ name, arguments: args }, CallToolResultSchema);
    // deno-lint-ignore no-explicit-any -- each test asserts the fields that it expects
    return { isError: result.isError ?? false, data: result.structuredContent as any };
  };
  return { client, call, [Symbol.asyncDispose]: () => client.close() };
}

Deno.test("The server's revisions with a handshake are those of the official client, except the draft before the first release", () => {
  assert.deepEqual(
    WITH_HANDSHAKE,
    SUPPORTED_PROTOCOL_VERSIONS.filter((revision) => revision !== "2024-10-07"),
  );
});

Deno.test("The official client finds the authorization server from a 401, and accepts the metadata for the address it called", async () => {
  const address = `${baseUrl}/mcp`;
  const response = await fetch(address, { method: "POST", body: "{}" });
  await response.body?.cancel();
  assert.equal(response.status, 401);
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  assert.ok(resourceMetadataUrl);
  assert.equal(scope, undefined);
  const metadata = await discoverOAuthProtectedResourceMetadata(address, { resourceMetadataUrl });
  assert.deepEqual(metadata.authorization_servers, [new URL("/auth/v1", baseUrl).href]);
  // Throws if the metadata is for another address.
  assert.equal(String(await selectResourceURL(address, {} as never, metadata)), address);
});

Deno.test("The official client connects with either header, and sees the tools with their hints in Portuguese", async () => {
  const key = await makeKey("contacts:read", "contacts:write");
  for (const header of ["X-API-Key", "Authorization"]) {
    await using session = await connect(key, header);
    const { client } = session;
    assert.equal(client.getServerVersion()?.name, "crm");
    assert.match(client.getInstructions() ?? "", /CRM de vendas da empresa "Teste"/);
    await client.ping();
    const { tools } = await client.listTools();
    const byName = new Map(tools.map((tool) => [tool.name, tool]));
    assert.equal(byName.get("contacts_list")?.title, "Lista os contatos");
    assert.equal(byName.get("contacts_list")?.annotations?.readOnlyHint, true);
    assert.equal(byName.get("contacts_merge")?.annotations?.destructiveHint, true);
    assert.equal(byName.get("contacts_create")?.annotations?.idempotentHint, true);
  }
});

Deno.test("The official client for the stateless revision discovers the server, and lists and calls tools and prompts", async () => {
  const key = await makeKey("contacts:read", "contacts:write");
  const client = new StatelessClient({ name: "teste", version: "1.0.0" }, {
    versionNegotiation: { mode: "auto" },
  });
  await client.connect(
    new StatelessTransport(new URL(`${baseUrl}/mcp`), { requestInit: { headers: { "X-API-Key": key } } }),
  );
  try {
    assert.equal(client.getNegotiatedProtocolVersion(), STATELESS);
    assert.equal(client.getServerVersion()?.name, "crm");
    assert.match(client.getInstructions() ?? "", /CRM de vendas da empresa "Teste"/);
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }) => name === "contacts_create"));
    const created = await client.callTool({ name: "contacts_create", arguments: { name: "Ana" } });
    assert.match((created.structuredContent as { id: string }).id, /^[0-9a-f-]{36}$/);
    const refused = await client.callTool({ name: "contacts_create", arguments: {} });
    assert.equal(refused.isError, true);
    const { prompts } = await client.listPrompts();
    assert.equal(prompts.length, 5);
    const { messages } = await client.getPrompt({ name: "prepare_meeting", arguments: { empresa: "Sol" } });
    assert.match(JSON.stringify(messages), /search_list/);
  } finally {
    await client.close();
  }
});

Deno.test("Every tool schema is JSON Schema 2020-12 that Ajv accepts", async () => {
  await using session = await connect(await makeKey());
  const { tools } = await session.client.listTools();
  assert.ok(tools.length > 0);
  // An unknown keyword is an error; `format` counts only as an annotation.
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    allowUnionTypes: true,
    validateFormats: false,
  });
  for (const { name, inputSchema } of tools) assert.ok(ajv.compile(inputSchema), name);
});

Deno.test("The list of tools costs a model at most 9,000 tokens, a list of 50 deals 6,000, a day of 200 events 3,000", async () => {
  await using session = await connect(await makeKey());
  const tokens = (value: unknown) => encode(JSON.stringify(value)).length;
  const { tools } = await session.client.listTools();
  const ofTools = tokens(tools);
  assert.ok(tools.length <= 30 && ofTools <= 9_000, `${tools.length} tools, ${ofTools} tokens`);

  const lead = (n: number) => ({
    first_name: "Maria Aparecida",
    last_name: `Oliveira ${n}`,
    email: `maria.${n}@exemplo.com.br`,
    company_name: `Transportes Ribeiro ${n} Ltda`,
    value: 1_250.5 * n,
    source: "Formulário do site",
    utm: { source: "google", medium: "cpc", campaign: "primavera" },
    custom_fields: { segmento: "alimentação" },
  });
  for (let n = 1; n <= 50; n++) await session.call("leads_create", lead(n));
  const { data } = await session.call("deals_list", { limit: 50 });
  assert.equal(data.data.length, 50);
  const [newest] = data.data;
  assert.deepEqual([newest.contact, newest.company], [
    "Maria Aparecida Oliveira 50",
    "Transportes Ribeiro 50 Ltda",
  ]);
  assert.ok(tokens(data) <= 6_000, `${tokens(data)} tokens`);
  // 50 leads emit 200 events: a lead, a company, a contact and a deal each.
  const { data: changes } = await session.call("changes_summary");
  assert.ok(tokens(changes) <= 3_000, `${tokens(changes)} tokens of changes`);
  const { data: full } = await session.call("deals_list", { limit: 50, format: "detailed" });
  assert.ok(full.data[0].workspace_id && full.data[0].contact.id);
});

Deno.test("The official client fails to connect with a wrong key, and says why", async () => {
  await assert.rejects(connect("svc_errada"), /Chave de API inválida/);
});

Deno.test("The bridge (mcp-remote) connects with the configuration that the page on MCP gives for Claude Desktop", async () => {
  const page = await Deno.readTextFile(new URL("../../site/src/content/docs/mcp.md", import.meta.url));
  const [, text] = /^## Claude Desktop$[^]*?^```json\n([^]*?)^```$/m.exec(page)!;
  const { command, args: [yes, bridge, address, ...rest], env } = JSON.parse(text!).mcpServers.crm;
  const { imports } = JSON.parse(await Deno.readTextFile(new URL("deno.json", import.meta.url)));
  assert.deepEqual([command, yes, `npm:${bridge}`, Object.keys(env)], ["npx", "-y", imports["mcp-remote"], [
    "CRM_KEY",
  ]]);
  assert.match(address, /\/functions\/v1\/mcp$/);
  await using folder = await openFolder();
  const client = new Client({ name: "teste", version: "1.0.0" });
  try {
    // Deno runs the package that npx would download.
    await client.connect(
      new StdioClientTransport({
        command: Deno.execPath(),
        args: ["run", "-A", "--config", CONFIG, `npm:${bridge}`, `${baseUrl}/mcp`, ...rest],
        env: {
          ...getDefaultEnvironment(),
          // Where mcp-remote stores data about servers.
          MCP_REMOTE_CONFIG_DIR: folder.path,
          CRM_KEY: await makeKey("contacts:read"),
        },
        stderr: "ignore",
      }),
    );
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(({ name }) => name).sort(), [
      "contacts_duplicates",
      "contacts_list",
      "contacts_timeline",
      "search_list",
    ]);
  } finally {
    await client.close();
  }
});
