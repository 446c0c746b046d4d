import assert from "node:assert/strict";
import { adviceFor } from "../../console/pages/webhooks/advice.ts";
import { withOlder } from "../../console/pages/webhooks/older.ts";
import { prettyJson } from "../../console/pages/webhooks/pretty_json.ts";
import { SIGN_COMMAND, verifySnippet } from "../../console/pages/webhooks/snippet.ts";
import {
  sendingOf,
  stateOfDelivery,
  stateOfWebhook,
  waitingOf,
} from "../../console/pages/webhooks/states.ts";
import { clockOf } from "../../console/pages/webhooks/times.ts";
import { deliveries as texts } from "../../console/strings/deliveries.ts";
import { EVENTS } from "../../supabase/functions/_shared/contract/events.ts";
import { openFolder } from "../support/folder.ts";
import { needing } from "../support/needing.ts";
import { run } from "../support/run.ts";

const AT = "2026-11-20T14:03:00.000Z";
const webhook = {
  is_active: true,
  held: false,
  failure_count: 0,
  last_failure_at: null,
  deactivated_at: null,
  deactivated_reason: null,
};
const state = (fields: Partial<Parameters<typeof stateOfWebhook>[0]>, suspended = false) =>
  stateOfWebhook({ ...webhook, ...fields }, suspended).is;

Deno.test("An inactive subscription has a reason (failures, a person, a revoked key) and a time", () => {
  assert.equal(state({}), "active");
  assert.equal(state({ failure_count: 2, last_failure_at: AT }), "failing");
  for (const reason of ["failures", "deleted", "key_revoked"] as const) {
    const inactive = { is_active: false, deactivated_at: AT, deactivated_reason: reason, failure_count: 2 };
    const { tone, ...is } = stateOfWebhook({ ...webhook, ...inactive }, false);
    assert.deepEqual(is, { is: reason, at: AT });
    assert.equal(tone, reason === "failures" ? "failed" : "off");
  }
});

Deno.test("A held subscription has a reason, unless it is inactive", () => {
  assert.equal(state({ held: true }, true), "held_suspended");
  assert.equal(state({ held: true }), "held_plan");
  assert.equal(state({ held: true, is_active: false, deactivated_reason: "failures" }, true), "failures");
});

Deno.test("The number of waiting deliveries is known only if the week's counts include them all", () => {
  const waiting = (n: number, fields: Partial<Parameters<typeof waitingOf>[0]> = {}) => {
    const days = [{ day: "2026-11-20", delivered: 9, failed: 0, waiting: n }];
    const stopped = { deactivated_reason: "failures", deactivated_at: AT } as const;
    return waitingOf({ ...stopped, days, days_are_partial: false, ...fields }, Date.parse(AT) + 3_600_000);
  };
  assert.equal(waiting(0), "none");
  assert.deepEqual(waiting(1204), { n: 1204, orMore: false });
  assert.deepEqual(waiting(700, { days_are_partial: true }), { n: 700, orMore: true });
  assert.equal(waiting(0, { days_are_partial: true }), "some");
  assert.equal(waiting(0, { deactivated_at: "2026-11-13T14:03:00.000Z" }), "some");
  assert.deepEqual(waiting(2, { deactivated_reason: "key_revoked" }), { n: 2, orMore: false });
  assert.equal(waiting(0, { deactivated_reason: "deleted" }), "cancelled");
});

Deno.test("A waiting delivery is named after what it waits for", () => {
  const waits = (
    attempts: number,
    fields: Partial<typeof webhook> = {},
    state: "pending" | "held" = "held",
  ) => stateOfDelivery({ state, attempts }, sendingOf({ ...webhook, ...fields }));
  assert.deepEqual(waits(0, {}, "pending"), { is: "sending", tone: "waiting" });
  assert.deepEqual(waits(2, {}, "pending"), { is: "trying", tone: "waiting", attempt: 3 });
  assert.equal(waits(2, { held: true }).is, "held");
  assert.equal(waits(2, { held: true, is_active: false }).is, "stopped");
  // The deliveries were read before the webhook was reactivated.
  assert.equal(waits(2).is, "trying");
  assert.equal(stateOfDelivery({ state: "failed", attempts: 5 }, "stopped").is, "failed");
  assert.equal(stateOfDelivery({ state: "cancelled", attempts: 1 }, "stopped").is, "cancelled");
  assert.equal(stateOfDelivery({ state: "delivered", attempts: 1 }, "held").is, "delivered");
});

Deno.test("A failed, cancelled, held or stopped delivery has a text that says what happens next", () => {
  for (const is of ["failed", "cancelled", "held", "stopped"]) {
    assert.ok(`delivery_meaning.${is}` in texts && `delivery_state.${is}` in texts, is);
  }
});

Deno.test("Every kind of record in an event has a name", () => {
  const kinds = new Set(Object.values(EVENTS).map(({ object }) => `object.${object}`));
  for (const kind of kinds) assert.ok(kind in texts, kind);
});

Deno.test("After a refresh of the first page, the older rows follow it, each once and in order", () => {
  const page = (data: string, next_cursor: string | null) => ({
    data: [...data].map((id) => ({ id })),
    meta: { next_cursor, has_more: next_cursor !== null },
  });
  const idsOf = (read: ReturnType<typeof page> | null) => read?.data.map(({ id }) => id).join("");
  // Two new rows pushed "f" and "e" down.
  assert.equal(idsOf(withOlder(page("jihg", "g"), page("hgfe", "e"), page("dcb", "b"))), "fedcb");
  assert.equal(withOlder(page("jihg", "g"), page("hgfe", "e"), page("dcb", "b"))!.meta.next_cursor, "b");
  // A row that no longer matches the filter left the first page, and "d" moved up.
  assert.equal(idsOf(withOlder(page("hged", "d"), page("hgfe", "e"), page("dcb", null))), "cb");
  assert.equal(withOlder(page("hg", null), page("hgfe", "e"), page("d", null)), null);
});

Deno.test("Every failure reason of the dispatcher has a text", async () => {
  const source = await Deno.readTextFile(
    new URL("../../supabase/functions/webhook-dispatcher/failure.ts", import.meta.url),
  );
  const reasons = [...source.matchAll(/^ {2}\| "(\w+)"/gm)].map(([, reason]) => `reason.${reason}`);
  assert.ok(reasons.length >= 20);
  assert.deepEqual(Object.keys(texts).filter((key) => key.startsWith("reason.")).sort(), reasons.sort());
});

Deno.test("A failed attempt may have advice for the integrator; a success has none", () => {
  const cases: [number | null, string | null, string | null][] = [
    [204, null, null],
    [301, "http_301", "redirect"],
    [401, "http_401", "refused"],
    [404, "http_404", "missing"],
    [503, "http_503", "server"],
    [429, "http_429", null],
    [null, "timeout_response", "slow"],
    [null, "tls_unknown_authority", "certificate"],
    [null, "connection_refused", null],
  ];
  for (const [status, reason, advice] of cases) assert.equal(adviceFor({ status, reason }), advice, reason!);
});

Deno.test("prettyJson indents a body without changing its tokens", () => {
  const body =
    '{"a":1.10,"big":12345678901234567890,"s":"{\\"x\\": [1,2]} \\\\","e":{},"n":[],"l":[1,{"b":null}]}';
  const lines = [
    ...["{", '  "a": 1.10,', '  "big": 12345678901234567890,', '  "s": "{\\"x\\": [1,2]} \\\\",'],
    ...['  "e": {},', '  "n": [],', '  "l": [', "    1,", "    {", '      "b": null', "    }", "  ]", "}"],
  ];
  assert.equal(prettyJson(body), lines.join("\n"));
  assert.equal(prettyJson(`{"event" : "x", "data": ${body}}`), prettyJson(`{"event":"x","data":${body}}`));
  assert.deepEqual(JSON.parse(prettyJson(body)), JSON.parse(body));
  for (const text of ["", "{", "not json"]) assert.equal(prettyJson(text), text);
});

Deno.test("clockOf formats a time, with its date unless it is today", () => {
  const now = new Date(2026, 10, 21, 12, 0, 0).getTime();
  const clock = (...at: [number, number, number, number, number, number]) =>
    clockOf(new Date(...at).toISOString(), now, "pt-BR");
  assert.deepEqual(clock(2026, 10, 21, 9, 3, 7), { day: "today", date: "21/11", time: "09:03:07" });
  assert.deepEqual(clock(2026, 10, 20, 23, 59, 59), { day: "yesterday", date: "20/11", time: "23:59" });
  assert.deepEqual(clock(2026, 10, 22, 0, 5, 0), { day: "tomorrow", date: "22/11", time: "00:05" });
  assert.deepEqual(clock(2025, 10, 21, 12, 0, 0), { day: "other", date: "21/11/2025", time: "12:00" });
});

Deno.test("The console shows the same code as the site's page for receivers", async () => {
  const sample = await Deno.readTextFile(new URL("../../site/programs/receiver.mjs", import.meta.url));
  const [first, ...lines] = verifySnippet("whsec_x").trim().split("\n");
  assert.equal(first, "// CRM_WEBHOOK_SECRET=whsec_x");
  for (const line of lines) assert.ok(sample.includes(line), line);
});

Deno.test(needing(["sh", "openssl"], {
  name: "The command in the console computes the dispatcher's signature",
  fn: async () => {
    const { signature } = await import("../../supabase/functions/webhook-dispatcher/sign.ts");
    await using folder = await openFolder();
    const body = new TextEncoder().encode('{"name":"João"}');
    await Deno.writeFile(`${folder.path}/body.json`, body);
    const env = { TIMESTAMP: "1795180000", CRM_WEBHOOK_SECRET: "whsec_abc" };
    const { stdout } = await run("sh", ["-c", SIGN_COMMAND], { cwd: folder.path, env });
    assert.equal(stdout.trim(), signature("whsec_abc", 1795180000, body));
  },
}));
