// The revision without a handshake (2026-07-28), and prompts.
import assert from "node:assert/strict";
import { REVISION_FIELD, REVISIONS } from "../../supabase/functions/mcp/revisions.ts";
import { post, request } from "../support/mcp.ts";
import { test } from "../support/scenario.ts";

const VERSION = "MCP-Protocol-Version";
const stateless = (method: string, params: Record<string, unknown> = {}, revision = "2026-07-28") =>
  request(method, { ...params, _meta: { [REVISION_FIELD]: revision } });

test("server/discover names the revisions that the server supports, even if the client names an unknown revision", async ({ workspace: { key } }) => {
  for (const revision of ["2026-07-28", "2099-01-01"]) {
    const { status, body } = await post(stateless("server/discover", {}, revision), { "X-API-Key": key });
    const { result } = body;
    assert.deepEqual([status, result.resultType, result.supportedVersions], [200, "complete", REVISIONS]);
    assert.deepEqual(result.capabilities, { tools: {}, prompts: {} });
    assert.match(result.instructions, /Hoje é .*America\/Sao_Paulo/);
    assert.equal(result._meta["io.modelcontextprotocol/serverInfo"].name, "crm");
    assert.deepEqual([result.cacheScope, result.ttlMs > 0], ["private", true]);
  }
  const wrong = await post(stateless("server/discover"), {
    "X-API-Key": `${key.slice(0, -1)}${key.endsWith("x") ? "y" : "x"}`,
  });
  assert.equal(wrong.status, 401);
});

test("A stateless request names its revision, and its results say that they are complete", async ({ workspace: { key } }) => {
  const headers = { "X-API-Key": key, [VERSION]: "2026-07-28" };
  const list = await post(stateless("tools/list"), headers);
  assert.deepEqual([list.body.result.resultType, list.body.result.cacheScope], ["complete", "private"]);
  const call = await post(stateless("tools/call", { name: "workspace_get" }), headers);
  assert.equal(call.body.result.resultType, "complete");
  assert.equal(JSON.parse(call.body.result.content[0].text).members.length, 1);
  for (const method of ["initialize", "ping"]) {
    assert.equal((await post(stateless(method), headers)).body.error.code, -32601, method);
  }
  const plain = await post(request("tools/list"), { "X-API-Key": key });
  assert.equal("resultType" in plain.body.result, false, "the field does not exist in older revisions");
});

test("A request with an unknown revision, or with a header that contradicts the message, gets an error of its own", async ({ workspace: { key } }) => {
  const unknown = await post(stateless("tools/list", {}, "2099-01-01"), { "X-API-Key": key });
  assert.deepEqual([unknown.status, unknown.body.error.code], [400, -32022]);
  assert.deepEqual(unknown.body.error.data, { supported: REVISIONS, requested: "2099-01-01" });
  const call = stateless("tools/call", { name: "workspace_get" });
  for (
    const [name, value] of [
      [VERSION, "2025-11-25"],
      ["Mcp-Method", "tools/list"],
      ["Mcp-Name", "deals_win"],
    ] as const
  ) {
    const { status, body } = await post(call, { "X-API-Key": key, [name]: value });
    assert.deepEqual([status, body.error.code, body.id], [400, -32020, 1], name);
  }
  const agreeing = { [VERSION]: "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "workspace_get" };
  assert.equal((await post(call, { "X-API-Key": key, ...agreeing })).status, 200);
});

test("Five prompts cover the most common jobs, and each says which argument it needs", async ({ workspace: { key } }) => {
  const send = async (method: string, params?: unknown) =>
    (await post(request(method, params), { "X-API-Key": key })).body;
  const { result: { prompts } } = await send("prompts/list");
  assert.equal(prompts.length, 5);
  for (const { name, arguments: [argument] = [] } of prompts) {
    const args = argument && { [argument.name]: "Padaria Sol" };
    const { result } = await send("prompts/get", { name, ...(args && { arguments: args }) });
    assert.deepEqual([result.messages.length, result.messages[0].role], [1, "user"], name);
    // contacts_batch takes a company's id, not its name.
    if (name === "import_contacts") {
      assert.match(result.messages[0].content.text, /company_id.*companies_create/s);
    }
    if (argument) {
      assert.match(result.messages[0].content.text, /Padaria Sol/);
      assert.match((await send("prompts/get", { name })).error.message, new RegExp(`"${argument.name}"`));
    }
  }
  assert.equal((await send("prompts/get", { name: "nada" })).error.code, -32602);
});
