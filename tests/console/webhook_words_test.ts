import assert from "node:assert/strict";
import { adviceFor } from "../../console/pages/webhooks/advice.ts";
import { prettyJson } from "../../console/pages/webhooks/pretty_json.ts";
import { SIGN_COMMAND, verifySnippet } from "../../console/pages/webhooks/snippet.ts";
import { sendingOf, stateOfDelivery, stateOfWebhook } from "../../console/pages/webhooks/states.ts";
import { clockOf } from "../../console/pages/webhooks/times.ts";
import { deliveries as en } from "../../console/strings/en/deliveries.ts";
import { deliveries as pt } from "../../console/strings/pt/deliveries.ts";
import { needing } from "../support/needing.ts";

const AT = "2026-11-20T14:03:00.000Z";
const webhook = { is_active: true, held: false, failure_count: 0, last_failure_at: null };
const state = (fields: Partial<Parameters<typeof stateOfWebhook>[0]>, suspended = false) =>
  stateOfWebhook({ ...webhook, ...fields }, suspended).is;

Deno.test("A subscription that failures stopped is told from one that a person deactivated", () => {
  assert.equal(state({}), "active");
  assert.equal(state({ failure_count: 2, last_failure_at: AT }), "failing");
  assert.equal(state({ is_active: false, failure_count: 5, last_failure_at: AT }), "stopped");
  assert.equal(state({ is_active: false, failure_count: 2, last_failure_at: AT }), "deactivated");
  assert.equal(state({ is_active: false }), "deactivated");
});

Deno.test("A subscription that is held says why, unless it is inactive anyway", () => {
  assert.equal(state({ held: true }, true), "held_suspended");
  assert.equal(state({ held: true }), "held_plan");
  assert.equal(state({ held: true, is_active: false, failure_count: 5 }, true), "stopped");
});

Deno.test("A delivery that waits is called what it waits for", () => {
  const waits = (attempts: number, fields: Partial<typeof webhook> = {}) =>
    stateOfDelivery({ state: "pending", attempts }, sendingOf({ ...webhook, ...fields }));
  assert.deepEqual(waits(0), { is: "sending", tone: "waiting" });
  assert.deepEqual(waits(2), { is: "trying", tone: "waiting", attempt: 3 });
  assert.equal(waits(2, { held: true }).is, "held");
  assert.equal(waits(2, { held: true, is_active: false }).is, "stopped");
  assert.equal(stateOfDelivery({ state: "failed", attempts: 5 }, "stopped").is, "failed");
  assert.equal(stateOfDelivery({ state: "delivered", attempts: 1 }, "held").is, "delivered");
});

Deno.test("Every reason of the dispatcher is said in both languages", async () => {
  const source = await Deno.readTextFile(
    new URL("../../supabase/functions/webhook-dispatcher/failure.ts", import.meta.url),
  );
  const reasons = [...source.matchAll(/^ {2}\| "(\w+)"/gm)].map(([, reason]) => `reason.${reason}`);
  assert.ok(reasons.length >= 20);
  for (const texts of [pt, en]) {
    assert.deepEqual(
      Object.keys(texts).filter((key) => key.startsWith("reason.")).sort(),
      reasons.toSorted(),
    );
  }
});

Deno.test("A failed attempt is followed by what an integrator can look at, a success by nothing", () => {
  const advice = (status: number | null, reason: string | null) => adviceFor({ status, reason });
  assert.equal(advice(204, null), null);
  assert.equal(advice(301, "http_301"), "redirect");
  assert.equal(advice(401, "http_401"), "refused");
  assert.equal(advice(404, "http_404"), "missing");
  assert.equal(advice(503, "http_503"), "server");
  assert.equal(advice(429, "http_429"), null);
  assert.equal(advice(null, "timeout_response"), "slow");
  assert.equal(advice(null, "tls_unknown_authority"), "certificate");
  assert.equal(advice(null, "connection_refused"), null);
});

Deno.test("A body is indented without a change of its tokens", () => {
  const body =
    '{"a":1.10,"big":12345678901234567890,"s":"{\\"x\\": [1,2]} \\\\","e":{},"n":[],"l":[1,{"b":null}]}';
  assert.equal(
    prettyJson(body),
    [
      "{",
      '  "a": 1.10,',
      '  "big": 12345678901234567890,',
      '  "s": "{\\"x\\": [1,2]} \\\\",',
      '  "e": {},',
      '  "n": [],',
      '  "l": [',
      "    1,",
      "    {",
      '      "b": null',
      "    }",
      "  ]",
      "}",
    ].join("\n"),
  );
  assert.equal(prettyJson(`{"event" : "x", "data": ${body}}`), prettyJson(`{"event":"x","data":${body}}`));
  assert.deepEqual(JSON.parse(prettyJson(body)), JSON.parse(body));
  for (const text of ["", "{", "not json"]) assert.equal(prettyJson(text), text);
});

Deno.test("A moment is told by the clock, and by the day where it is another", () => {
  const now = new Date(2026, 10, 21, 12, 0, 0).getTime();
  const clock = (...at: [number, number, number, number, number, number]) =>
    clockOf(new Date(...at).toISOString(), now, "pt-BR");
  assert.deepEqual(clock(2026, 10, 21, 9, 3, 7), { day: "today", date: "21/11", time: "09:03:07" });
  assert.deepEqual(clock(2026, 10, 20, 23, 59, 59), { day: "yesterday", date: "20/11", time: "23:59" });
  assert.deepEqual(clock(2026, 10, 22, 0, 5, 0), { day: "tomorrow", date: "22/11", time: "00:05" });
  assert.deepEqual(clock(2025, 10, 21, 12, 0, 0), { day: "other", date: "21/11/2025", time: "12:00" });
});

Deno.test("The code that the console shows is that of docs/receivers.md", async () => {
  const page = await Deno.readTextFile(new URL("../../docs/receivers.md", import.meta.url));
  const [first, ...lines] = verifySnippet("whsec_x").trim().split("\n");
  assert.equal(first, "// CRM_WEBHOOK_SECRET=whsec_x");
  for (const line of lines) assert.ok(page.includes(line), line);
});

Deno.test(needing(["sh", "openssl"], {
  name: "The command that the console shows makes the signature of the dispatcher",
  fn: async () => {
    const { signature } = await import("../../supabase/functions/webhook-dispatcher/sign.ts");
    const folder = await Deno.makeTempDir();
    try {
      const body = new TextEncoder().encode('{"name":"João"}');
      await Deno.writeFile(`${folder}/body.json`, body);
      const { stdout } = await new Deno.Command("sh", {
        args: ["-c", SIGN_COMMAND],
        cwd: folder,
        env: { TIMESTAMP: "1795180000", CRM_WEBHOOK_SECRET: "whsec_abc" },
      }).output();
      assert.equal(new TextDecoder().decode(stdout).trim(), signature("whsec_abc", 1795180000, body));
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
}));
