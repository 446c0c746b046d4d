import assert from "node:assert/strict";
import { assertError } from "../../support/client.ts";
import { fieldLimits } from "../../support/field_limits.ts";
import { bodyOf } from "../../support/resources.ts";
import { test } from "../../support/scenario.ts";

const ACTIVITIES = "/api-v1-activities";

const fields = fieldLimits(bodyOf(ACTIVITIES, "PATCH", "/:id"), {
  type: { alsoBad: [" "] },
  title: { alsoBad: [" "] },
});

for (const [field, { good, bad }] of Object.entries(fields)) {
  test(`POST and PATCH /api-v1-activities take ${field} within its limits and name it outside of them (spec 2.7)`, async ({ api, newDeal }) => {
    const deal = await newDeal();
    const { id } = (await api.post(ACTIVITIES, { deal_id: deal.id })).body;
    const sends = [
      (value: unknown) => api.post(ACTIVITIES, { deal_id: deal.id, [field]: value }),
      (value: unknown) => api.patch(`${ACTIVITIES}/${id}`, { [field]: value }),
    ];
    for (const send of sends) {
      for (const value of good) {
        const reply = await send(value);
        assert.ok(reply.status < 300, `${JSON.stringify(value)}: ${reply.text}`);
      }
      for (const value of bad) {
        const details = assertError(await send(value), "validation_error");
        assert.deepEqual(Object.keys(details), [field], JSON.stringify(value));
      }
    }
  });
}
