import assert from "node:assert/strict";
import { assertRefused } from "../support/client.ts";
import { type FieldLimits, limits } from "../support/record_fixtures.ts";
import { test } from "../support/scenario.ts";

const ACTIVITIES = "/api-v1-activities";

const fields: FieldLimits[] = [
  ["type", ["a", "é".repeat(60), null], ["", " ", "a".repeat(61), 5, []]],
  ["title", ["a", "😀".repeat(255), null], ["", " ", "a".repeat(256), 5]],
  limits.text("description", 10_000),
  ["due_at", [
    "2030-01-31T12:00:00Z",
    "2030-01-31T12:00:00.123456789+20:00",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59.9999999Z",
    null,
  ], [
    "2030-01-31",
    "2030-02-30T12:00:00Z",
    "2030-01-31T12:00:00",
    "amanhã",
    "",
    5,
    "9999-12-31T23:59:59-01:00",
  ]],
  ["duration_minutes", [0, 1, 2 ** 31 - 1, null], [-1, 0.5, 2 ** 31, "5", true]],
  ["is_online_meeting", [true, false, null], ["true", 1]],
  ["meeting_url", ["https://x.com", "http://x.com/a?b#c", null], [
    "x.com",
    "",
    "javascript:alert(1)",
    `https://x.com/${"a".repeat(2048)}`,
    5,
  ]],
  limits.text("location", 255),
  ["status", ["pendente", "concluida", "cancelada", null], ["", "aberto", "Pendente", 1]],
  limits.uuid("contact_id"),
  limits.uuid("owner_id"),
];

for (const [field, good, bad] of fields) {
  test(`POST and PATCH /api-v1-activities take ${field} within its limits and name it outside of them`, async ({ api, newDeal }) => {
    const deal = await newDeal();
    const { id } = (await api.post(ACTIVITIES, { deal_id: deal.id })).body;
    const attempts = [
      (value: unknown) => api.post(ACTIVITIES, { deal_id: deal.id, [field]: value }),
      (value: unknown) => api.patch(`${ACTIVITIES}/${id}`, { [field]: value }),
    ];
    for (const attempt of attempts) {
      for (const value of good) {
        const reply = await attempt(value);
        assert.ok(reply.status < 300, `${JSON.stringify(value)}: ${reply.text}`);
      }
      for (const value of bad) {
        const details = assertRefused(await attempt(value), "validation_error");
        assert.deepEqual(Object.keys(details), [field], JSON.stringify(value));
      }
    }
  });
}
