import assert from "node:assert/strict";
import { deliveryBody } from "../../tools/openapi/events.ts";
import { EVENT_TYPES, type EventType } from "../../supabase/functions/_shared/contract/events.ts";
import { causeEveryEvent } from "../support/every_event.ts";
import { openMailbox } from "../support/mailbox.ts";
import { test } from "../support/scenario.ts";
import { checkDelivery, subscribe } from "../support/webhooks.ts";

test("Every event of the catalogue arrives at its receiver, signed, as the OpenAPI document says, and its sample has the same fields (spec 6.2)", async ({ sql, workspace }) => {
  const mailboxes = new Map(EVENT_TYPES.map((event) => [event, openMailbox()]));
  const secrets = new Map<EventType, string>();
  for (const [event, { url }] of mailboxes) {
    secrets.set(event, (await subscribe(workspace.key, url, [event])).secret);
  }
  await causeEveryEvent(sql, workspace);
  await sql`select crm.poke_dispatcher()`;
  for (const [event, mailbox] of mailboxes) {
    const [message] = await mailbox.waitFor(1);
    checkDelivery(message!, secrets.get(event)!);
    assert.deepEqual(deliveryBody(event).parse(message!.body), message!.body, event);
    const { data } = message!.body;
    assert.equal(data.id ?? data.lead.deal_id, message!.body.object_id);
    if (event === "activity.overdue") assert.equal(data.overdue_since, data.due_at);

    const [{ sample }] = await sql<[{ sample: Data }]>`select crm.sample_data(${event}) as sample`;
    const body = { ...message!.body, data: sample };
    assert.deepEqual(deliveryBody(event).parse(body), body, event);
    assert.deepEqual(fieldsOf(sample), fieldsOf(data), event);
    // The sample's id is nil, so a receiver that looks up the object finds none.
    assert.match(JSON.stringify(sample), /"(deal_)?id":"00000000-0000-0000-0000-000000000000"/);
  }
});

type Data = Record<string, unknown>;

/** The names of the fields in order, also within inner records, but not within free objects such as custom_fields. */
function fieldsOf(data: Data, inside = ""): string[] {
  return Object.entries(data).flatMap(([name, value]) => {
    const path = inside + name;
    const isRecord = ["lead", "contact", "company"].includes(name) && value !== null;
    return isRecord ? [path, ...fieldsOf(value as Data, `${path}.`)] : [path];
  });
}
