// An assistant reads and writes times without an offset, in the workspace's time zone.
import assert from "node:assert/strict";
import { callTool } from "../../supabase/functions/mcp/call_tool.ts";
import type { Caller } from "../../supabase/functions/mcp/caller.ts";
import { LocalTime } from "../../supabase/functions/mcp/local_time.ts";
import { TOOLS } from "../../supabase/functions/mcp/tools.ts";
import { post, request, toolClient } from "../support/mcp.ts";
import { create, UNKNOWN_ID } from "../support/record_fixtures.ts";
import { test } from "../support/scenario.ts";

test("A tool reads dates and times without an offset in the workspace's time zone, and a list shows days in that time zone", async ({ sql, workspace, api }) => {
  await sql`update crm.workspaces set time_zone = 'Asia/Tokyo' where id = ${workspace.id}`;
  const { body } = await post(request("initialize", { protocolVersion: "2025-06-18" }), {
    "X-API-Key": workspace.key,
  });
  assert.match(body.result.instructions, /no fuso Asia\/Tokyo/);
  const { id: deal_id } = await create(workspace.key, "/api-v1-deals", { title: "Plano" });
  const tools = toolClient(workspace.key);
  const dueOf = async (due_at: string) => (await tools("activities_create", { deal_id, due_at })).data.due_at;
  assert.equal(await dueOf("2026-12-02T15:00"), "2026-12-02T06:00:00.000Z");
  assert.equal(await dueOf("2026-12-02T15:00-03:00"), "2026-12-02T18:00:00.000Z");
  assert.equal(await dueOf("2026-12-03"), "2026-12-02T15:00:00.000Z");
  await api.post(`/api-v1-deals/${deal_id}/win`);
  await sql`update crm.deals set closed_at = '2026-11-27T20:00:00Z' where id = ${deal_id}`;
  const { data } = (await tools("deals_list", { status: ["ganho"] })).data;
  assert.equal(data[0].closed_at, "2026-11-28");
});

Deno.test("A call with a time fails, and sends nothing, if the workspace's time zone cannot be read", async () => {
  const text = JSON.stringify({ error: { code: "service_unavailable", message: "Tente de novo" } });
  const caller = {
    localTime: () => Promise.resolve({ status: 503, text, headers: new Headers() }),
    call: () => assert.fail("a request was sent"),
  } as unknown as Caller;
  const tool = TOOLS.get("activities_create")!;
  const result = await callTool(caller, tool, { deal_id: UNKNOWN_ID, due_at: "2026-12-02T15:00" });
  assert.ok(
    "isError" in result && JSON.stringify(result).includes("service_unavailable"),
    JSON.stringify(result),
  );
});

Deno.test("The offset is the one that applies at that moment, even where clocks change", () => {
  const newYork = new LocalTime("America/New_York");
  for (
    const [text, expected] of [
      ["2026-03-08", "2026-03-08T00:00:00.000-05:00"],
      ["2026-03-08T01:59", "2026-03-08T01:59:00.000-05:00"],
      ["2026-03-08T03:30", "2026-03-08T03:30:00.000-04:00"],
      ["2026-11-01T12:00:00", "2026-11-01T12:00:00.000-05:00"],
      ["1800-01-01", "1800-01-01T00:00:00.000-04:56"],
      ["20261201", "2026-12-01T00:00:00.000-05:00"],
      ["2026-12-01T15", "2026-12-01T15:00:00.000-05:00"],
      ["2026-12-01t15:00", "2026-12-01T15:00:00.000-05:00"],
      ["20261201T150030,25", "2026-12-01T15:00:30.250-05:00"],
      ["2026-12-01T24:00", "2026-12-02T00:00:00.000-05:00"],
      ["2026-11-01T03:00Z", "2026-11-01T03:00Z"],
      ["2026-11-01t03z", "2026-11-01t03z"],
      ["20261101T0300-03", "20261101T0300-03"],
      ["2026-11-01T03:00 03:00", "2026-11-01T03:00 03:00"],
      ["2026-13-01", "2026-13-01"],
    ]
  ) {
    assert.equal(newYork.withOffset(text!), expected);
  }
  assert.equal(new LocalTime("UTC").withOffset("2026-01-31"), "2026-01-31T00:00:00.000Z");
});
