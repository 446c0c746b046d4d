// The revision without a handshake (2026-07-28), prompts, and dates without an offset.
import assert from "node:assert/strict";
import { REVISION_FIELD, REVISIONS } from "../../supabase/functions/mcp/revisions.ts";
import { post, request, toolClient } from "../support/mcp.ts";
import { create } from "../support/record_fixtures.ts";
import { test } from "../support/scenario.ts";

const VERSION = "MCP-Protocol-Version";
const stateless = (method: string, params: Record<string, unknown> = {}, revision = "2026-07-28") =>
  request(method, { ...params, _meta: { [REVISION_FIELD]: revision } });

test("server/discover says what the server speaks, also to a client that names an unknown revision", async ({ workspace: { key } }) => {
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
  assert.equal("resultType" in plain.body.result, false, "an older revision knows no such field");
});

test("An unknown revision and a header that contradicts the message are errors that say so", async ({ workspace: { key } }) => {
  const unknown = await post(stateless("tools/list", {}, "2099-01-01"), { "X-API-Key": key });
  assert.deepEqual([unknown.status, unknown.body.error.code], [400, -32022]);
  assert.deepEqual(unknown.body.error.data, { supported: REVISIONS, requested: "2099-01-01" });
  const call = stateless("tools/call", { name: "workspace_get" });
  for (
    const header of [{ [VERSION]: "2025-11-25" }, { "Mcp-Method": "tools/list" }, {
      "Mcp-Name": "deals_win",
    }] as Record<
      string,
      string
    >[]
  ) {
    const { status, body } = await post(call, { "X-API-Key": key, ...header });
    assert.deepEqual([status, body.error.code, body.id], [400, -32020, 1], JSON.stringify(header));
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
    if (argument) {
      assert.match(result.messages[0].content.text, /Padaria Sol/);
      assert.match((await send("prompts/get", { name })).error.message, new RegExp(`"${argument.name}"`));
    }
  }
  assert.equal((await send("prompts/get", { name: "nada" })).error.code, -32602);
});

test("A date or a time without an offset is read in the workspace's time zone, and a time with an offset is kept", async ({ sql, workspace, newDeal }) => {
  const call = toolClient(workspace.key);
  const { id: deal_id } = await newDeal();
  const dueOf = async (due_at: string) => (await call("activities_create", { deal_id, due_at })).data.due_at;
  assert.equal(await dueOf("2026-12-01T09:30"), "2026-12-01T12:30:00.000Z");
  assert.equal(await dueOf("2026-12-02T09:30:00Z"), "2026-12-02T09:30:00.000Z");
  assert.equal(await dueOf("2026-12-03"), "2026-12-03T03:00:00.000Z");
  const night = await create(workspace.key, "/api-v1-deals", { title: "Tarde da noite" });
  await sql`update crm.deals set stage_changed_at = '2026-11-27T01:00:00Z' where id = ${night.id}`;
  const { data: { data } } = await call("deals_list", { q: "tarde" });
  assert.equal(data[0].stage_changed_at, "2026-11-26", "the day in Brazil");
});
