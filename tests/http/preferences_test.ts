// Prefer: handling=strict (RFC 7240), and what X-Ignored-Fields names.
import assert from "node:assert/strict";
import { readPreferences } from "../../supabase/functions/_shared/http/preference.ts";
import { assertError, call } from "../support/client.ts";
import { makeLossReason } from "../support/record_fixtures.ts";
import { addressOf, credentialsFor } from "../support/gates.ts";
import { endpoints } from "../support/resources.ts";
import { test } from "../support/scenario.ts";

const STRICT = { Prefer: "handling=strict" };

Deno.test("handling=strict is found in every form of RFC 7240, and nowhere else", () => {
  const asks = (value?: string) =>
    readPreferences(new Headers(value === undefined ? {} : { Prefer: value })).strict;
  const strict = [
    ...["handling=strict", "Handling = Strict", 'handling="strict"', "handling=strict; a=b"],
    ...["return=minimal, handling=strict", 'return=minimal;x="a, b" , handling=strict'],
    ...["handling=strict, handling=lenient", 'handling=strict, x="not closed'],
  ];
  for (const value of strict) assert.equal(asks(value), true, value);
  const others = [
    ...[undefined, "", "handling", "handling=", "handling=lenient", "handling=lenient, handling=strict"],
    ...["strict", "handling=strictly", "xhandling=strict", "return=minimal; handling=strict"],
    ...['x="a, handling=strict"', 'x="not closed, handling=strict', `"${"\\".repeat(10_000)}`],
    `${"a".repeat(10_000)},${'"'.repeat(10_001)}`,
  ];
  for (const value of others) assert.equal(asks(value), false, String(value).slice(0, 60));
});

Deno.test("Prefer is parsed in linear time, even with unclosed quotes and 32,000 characters", () => {
  // The best of five, because other programs may interrupt.
  const timeOf = (value: string, times: number) =>
    Math.min(...Array.from({ length: 5 }, () => {
      const headers = new Headers({ Prefer: value });
      const start = performance.now();
      for (let time = 0; time < times; time++) assert.equal(readPreferences(headers).strict, false);
      return performance.now() - start;
    }));
  for (const quotes of ['\\"', '"', '\\"x,', '"a\\']) {
    const long = quotes.repeat(32_000 / quotes.length);
    // A parser that started over at every quote took 2.6 s for 32,000 characters, and 2.6 ms for 1,000.
    assert.ok(timeOf(long, 1) < 100, `32,000 characters of ${quotes}`);
    assert.ok(timeOf(long.slice(0, 1_000), 300) < 300, `1,000 characters of ${quotes}`);
  }
});

for (const { resource, route, title } of endpoints.filter(({ route }) => route.endpoint.body)) {
  Deno.test(`${title} with Prefer: handling=strict refuses a field that it does not know, and names it`, async () => {
    const { token, ...credentials } = await credentialsFor(resource);
    const query = "match_by" in route.endpoint.query.shape ? "?match_by=external_id" : "";
    const path = addressOf(resource.name, route.path, { token }) + query;
    const sent = { ...credentials, body: { mistyped_field: 1 }, headers: STRICT };
    const reply = await call(route.method, path, sent);
    assert.equal(assertError(reply, "validation_error")["mistyped_field"], "Campo desconhecido");
    assert.equal(reply.headers.get("Preference-Applied"), "handling=strict");
    assert.equal(reply.headers.get("X-Ignored-Fields"), null);
  });
}

test("A lead with a mistyped field is refused with Prefer: handling=strict; without it the lead is created and the field named", async ({ sql, workspace, api }) => {
  const lead = {
    first_name: "Ana",
    emial: "ana@x.com",
    utm: { source: "google", sorce: "x" },
    utm_medium: "cpc",
  };
  const refused = await api.post("/api-v1-leads", lead, STRICT);
  assert.deepEqual(Object.keys(assertError(refused, "validation_error")).sort(), ["emial", "utm.sorce"]);
  const [{ count }] = await sql<[{ count: number }]>`
    select count(*)::integer from crm.deals where workspace_id = ${workspace.id}`;
  assert.equal(count, 0);

  for (const preference of [undefined, { Prefer: "handling=lenient" }, { Prefer: "return=minimal" }]) {
    const made = await api.post("/api-v1-leads", lead, preference);
    assert.equal(made.status, 201, made.text);
    assert.equal(made.headers.get("X-Ignored-Fields"), "emial, utm.sorce");
    assert.equal(made.headers.get("Preference-Applied"), null);
  }
  const known = await api.post("/api-v1-leads", { first_name: "Ana", utm_source: "google" }, STRICT);
  assert.deepEqual([known.status, known.headers.get("Preference-Applied")], [201, "handling=strict"]);
});

test("handling=strict names unknown fields with all other mistakes, at most 100 in all", async ({ api }) => {
  const reply = await api.post("/api-v1-contacts", { email: "x", id: "1", nome: "Ana" }, STRICT);
  const details = assertError(reply, "validation_error");
  assert.deepEqual(Object.keys(details).sort(), ["email", "id", "name", "nome"]);
  const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`f${index}`, 1]));
  const full = await api.post("/api-v1-contacts", many, STRICT);
  assert.equal(Object.keys(assertError(full, "validation_error")).length, 100);
});

test("handling=strict names a field once, and says what is wrong if its name cannot be stored", async ({ api }) => {
  const unstorable = ['"\\ud800"', '"a\\u0000b"', '"__proto__"', '"twice": 1, "twice"'];
  for (const name of unstorable) {
    const reply = await api.post("/api-v1-contacts", `{"name": "Ana", ${name}: 1}`, STRICT);
    assert.equal(reply.status, 422, reply.text);
    assert.equal(reply.body.error.details.length, 1, reply.text);
    assert.doesNotMatch(reply.body.error.details[0].message, /desconhecido/, name);
  }
});

test("POST win and lose on a closed deal name in X-Ignored-Fields what they did not apply, and nothing on a repeated call (spec 3)", async ({ sql, workspace, api, newDeal }) => {
  const loss_reason_id = await makeLossReason(sql, workspace);
  const act = async (id: string, action: string, body?: unknown) => {
    const reply = await api.post(`/api-v1-deals/${id}/${action}`, body);
    return [reply.status, reply.body.idempotent, reply.headers.get("X-Ignored-Fields")];
  };
  const won = (await newDeal()).id;
  assert.deepEqual(await act(won, "win", { value: 5, unknown: 1 }), [200, false, "unknown"]);
  assert.deepEqual(await act(won, "win", { value: 5 }), [200, true, null]);
  assert.deepEqual(await act(won, "win"), [200, true, null]);
  const more = { unknown: 1, value: 6, recurring_value: 1 };
  assert.deepEqual(await act(won, "win", more), [200, true, Object.keys(more).join(", ")]);
  const loss = { loss_reason_id, loss_note: "caro" };
  assert.deepEqual(await act(won, "lose", loss), [200, true, Object.keys(loss).join(", ")]);
  const lost = (await newDeal()).id;
  const reason = { loss_reason_id: loss_reason_id.toUpperCase(), loss_note: "caro" };
  assert.deepEqual(await act(lost, "lose", reason), [200, false, null]);
  assert.deepEqual(await act(lost, "lose", reason), [200, true, null]);
});
