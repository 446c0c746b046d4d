import assert from "node:assert/strict";
import fc from "fast-check";
import { parseDatetime } from "../../supabase/functions/_shared/contract/datetime.ts";
import { assertError } from "../support/client.ts";
import { READ, REFUSED, writtenMoments } from "../support/datetimes.ts";
import { ids } from "../support/record_fixtures.ts";
import { test } from "../support/scenario.ts";

const ACTIVITIES = "/api-v1-activities";

Deno.test("Every form of a datetime is read as the same moment (spec 4.0)", () => {
  fc.assert(
    fc.property(writtenMoments(), ({ moment, text }) => assert.equal(parseDatetime(text), moment, text)),
    { numRuns: 5_000 },
  );
});

Deno.test("A long text is refused at once, whatever it holds (spec 4.0)", () => {
  const digits = "0".repeat(1024 * 1024);
  const spaces = " ".repeat(1024 * 1024);
  for (const text of [digits, `2026-01-31T12:00:00.${digits}`, `2026-01-31T12:00:00${spaces}`]) {
    const started = performance.now();
    assert.equal(parseDatetime(text), null);
    // Quadratic work would take minutes.
    assert.ok(performance.now() - started < 10_000, `${Math.round(performance.now() - started)} ms`);
  }
});

test("A valid datetime in a body is stored as its moment, and an invalid datetime is named (spec 1)", async ({ api, newDeal }) => {
  const deal = await newDeal();
  const { id } = (await api.post(ACTIVITIES, { deal_id: deal.id })).body;
  for (const [due_at, moment] of READ) {
    assert.equal((await api.patch(`${ACTIVITIES}/${id}`, { due_at })).body.due_at, moment, due_at);
  }
  for (const due_at of REFUSED) {
    assertError(await api.patch(`${ACTIVITIES}/${id}`, { due_at }), "validation_error", ["due_at"], due_at);
  }
});

test("A valid datetime in a query is read as its moment, and the error for an invalid one names the parameter (spec 4.0)", async ({ api, newDeal }) => {
  const deal = await newDeal();
  const { id } = (await api.post(ACTIVITIES, { deal_id: deal.id })).body;
  for (const [text, moment] of READ) {
    await api.patch(`${ACTIVITIES}/${id}`, { due_at: moment });
    const query = encodeURIComponent(text);
    // Both bounds are the activity's own moment: due_after includes the activity, due_before leaves it out.
    assert.deepEqual(ids(await api.get(`${ACTIVITIES}?due_after=${query}`)), [id], text);
    assert.deepEqual(ids(await api.get(`${ACTIVITIES}?due_before=${query}`)), [], text);
  }
  for (const name of ["since", "updated_since", "due_after", "due_before"]) {
    const texts = ["2026-01-31", "20260131T090000-0300", "2026-01-31T12:00:00+03:00", "2026-01-31+12:00"];
    for (const text of texts) {
      // The text is not encoded, so the + in the last two reaches the server as a space.
      assert.equal((await api.get(`${ACTIVITIES}?${name}=${text}`)).status, 200, `${name}=${text}`);
    }
  }
  for (const text of REFUSED) {
    const reply = await api.get(`${ACTIVITIES}?due_after=${encodeURIComponent(text)}`);
    assertError(reply, "validation_error", ["due_after"], text);
  }
});

test("A date that does not exist, has another form or the year 0 is named once as invalid (spec 1)", async ({ api }) => {
  const dates = ["", " 2026-01-31", "-2026-01-31", "2026-02-29", "20260131", "0000-01-31", "10000-01-31"];
  for (const expected_close_date of dates) {
    const { body, text } = await api.post("/api-v1-deals", { title: "A", expected_close_date });
    const fields = body.error.details.map(({ field }: { field: string }) => field);
    assert.deepEqual(fields, ["expected_close_date"], `${expected_close_date}: ${text}`);
  }
});
