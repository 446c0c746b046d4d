import assert from "node:assert/strict";
import type postgres from "postgres";
import { eventually } from "../../bench/harness/waiting.ts";
import { ApiError } from "../../supabase/functions/_shared/contract/errors.ts";
import type { Call } from "../../supabase/functions/_shared/http/call.ts";
import {
  describeError,
  describePath,
  logRequest,
} from "../../supabase/functions/_shared/http/request_log.ts";
import { withEnvironment } from "../support/environment.ts";
import { test } from "../support/scenario.ts";
import { functionsDatabaseUrl } from "../support/stack.ts";

const KEY = "00000000-0000-7000-8000-000000000001";

/** Logs requests that took 0 ms, 1 ms, 2 ms, and so on. */
function logMany(workspaceId: string, count: number): void {
  const admission = { callerId: KEY, workspaceId, admitted: true, rate: null };
  for (let number = 0; number < count; number++) {
    const call = {
      id: crypto.randomUUID(),
      started: performance.now() - number,
      request: new Request("http://localhost/api-v1-contacts"),
      method: "GET",
      gateName: "key",
      params: { id: undefined, delivery_id: undefined },
    } as unknown as Call;
    logRequest(call, { admission, events: false, result: { status: 200, body: "{}" } }, "{}");
  }
}

async function durations(sql: postgres.Sql, workspaceId: string): Promise<number[]> {
  const rows = await sql<{ duration_ms: number }[]>`
    select duration_ms from crm.requests where workspace_id = ${workspaceId} order by duration_ms`;
  return rows.map(({ duration_ms }) => duration_ms);
}

test("If requests arrive faster than they can be written, the oldest are dropped and counted", async ({ sql, workspace }) => {
  const lines = await withEnvironment({ DATABASE_URL: functionsDatabaseUrl }, async (lines) => {
    logMany(workspace.id, 1_200);
    await eventually(() => lines.length > 0, "the line with the count");
  });
  assert.deepEqual(lines.map(({ event, count }) => [event, count]), [["request_log_dropped", 700]]);
  const kept = await durations(sql, workspace.id);
  assert.equal(kept.length, 500);
  assert.ok(kept[0]! >= 700 && kept[0]! < 710, String(kept[0]));
});

test("Requests that the database does not take are dropped and counted, and later ones are written", async ({ sql, workspace }) => {
  const url = new URL(functionsDatabaseUrl);
  // Nobody listens on this port.
  url.port = "1";
  const lines = await withEnvironment({ DATABASE_URL: url.href }, async (lines) => {
    logMany(workspace.id, 3);
    await eventually(() => lines.some(({ event }) => event === "request_log_dropped"), "the count");
  });
  const lost = lines.filter(({ event }) => String(event).startsWith("request_log"));
  assert.deepEqual(lost.map(({ event, count }) => [event, count]), [
    ["request_log_failed", undefined],
    ["request_log_dropped", 3],
  ]);
  await withEnvironment({ DATABASE_URL: functionsDatabaseUrl }, async () => {
    logMany(workspace.id, 2);
    await eventually(async () => (await durations(sql, workspace.id)).length === 2, "the later requests");
  });
});

Deno.test("The path in the log has ids and names of parameters, and hides what may be a value", () => {
  const id = crypto.randomUUID();
  const none = { id: undefined, delivery_id: undefined };
  const described = (path: string, params: Call["params"] = none) =>
    describePath(`http://127.0.0.1:54321${path}`, params);
  assert.equal(described("/api-v1-deals"), "/api-v1-deals");
  assert.equal(described(`/api-v1-deals/${id}/win`, { ...none, id }), `/api-v1-deals/${id}/win`);
  assert.equal(described("/api-v1-deals/ana/win", { ...none, id: "ana" }), "/api-v1-deals/:id/win");
  const inDeal = { ...none, id, contact_id: "ana" };
  assert.equal(described(`/api-v1-deals/${id}/contacts/ana`, inDeal), `/api-v1-deals/${id}/contacts/:id`);
  assert.equal(described("/api-v1-deals/Ana%20Souza/5511999990000/win"), "/api-v1-deals/…/…/win");
  assert.equal(described("/api-v1-deals?q=ana&limit=5&q=b"), "/api-v1-deals?q&limit");
  assert.equal(described("/api-v1-deals?ana%40x.com=1&owner.id=2"), "/api-v1-deals?…&owner.id");
  assert.equal(describePath("http://x y/api-v1-deals?a=1", none), "/api-v1-deals?a");
  const many = Array.from({ length: 50 }, (_, n) => `p${n}=${n}`).join("&");
  assert.equal(described(`/a${"/b".repeat(100)}?${many}`).split(/[/&]/).length, 20 + 19);
});

Deno.test("An error in the log has its details without values, and only the first details if it is long", () => {
  const details = [
    { field: "stage_id", message: '"ana "x" não é um valor" não é um valor possível' },
    { field: "ana@x.com", message: "Campo desconhecido" },
    { field: "items.0.data.name", message: 'Deve ser um de "a", "b"' },
    { field: "", message: "Vazio" },
  ];
  const { details: shown } = describeError(new ApiError("validation_error", details).body());
  assert.deepEqual(shown?.map(({ field, message }) => [field, message]), [
    ["stage_id", '"…" não é um valor possível'],
    ["…", "Campo desconhecido"],
    ["items.0.data.name", 'Deve ser um de "a", "b"'],
    ["", "Vazio"],
  ]);
  const long = Array.from({ length: 100 }, (_, n) => ({ field: `f${n}`, message: "x".repeat(500) }));
  assert.equal(describeError(new ApiError("validation_error", long).body()).details?.length, 5);
});
