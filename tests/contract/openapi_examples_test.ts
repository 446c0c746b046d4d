// The examples of the OpenAPI documents tell one story (tools/openapi/story/): here they are read together.
import assert from "node:assert/strict";
import { deliveryBody, feedEvent } from "../../tools/openapi/events.ts";
import { EVENT_TYPES, type EventType } from "../../supabase/functions/_shared/contract/events.ts";
import { documents } from "../support/documented.ts";

type Example = Record<string, unknown>;

/** Every object at any depth in the examples of replies and deliveries, with the operation of the example. */
const objects: { place: string; object: Example }[] = [];
for (const { paths, webhooks = {} } of Object.values(documents)) {
  for (const [path, methods] of Object.entries<object>({ ...paths, ...webhooks })) {
    for (const [method, { requestBody, responses }] of Object.entries(methods)) {
      // Deliveries are requests of webhooks. Other requests are left out, because what clients send is not a record.
      const bodies = path in webhooks ? [requestBody] : Object.values(responses);
      for (const body of bodies) collect(`${method} ${path}`, body.content?.["application/json"]?.example);
    }
  }
}

function collect(place: string, value: unknown): void {
  if (value === null || typeof value !== "object") return;
  if (!Array.isArray(value)) objects.push({ place, object: value as Example });
  for (const inner of Object.values(value)) collect(place, inner);
}

/** The kind of record, for id fields that are not named after it. */
const KINDS: Record<string, string> = {
  owner_id: "member",
  created_by_id: "member",
  author_id: "member",
  previous_stage_id: "stage",
  previous_pipeline_id: "pipeline",
  merged_contact_id: "contact",
  added_contact_id: "contact",
  removed_contact_id: "contact",
  key_id: "key",
};

/** Kinds of records that some reply shows. */
const SHOWN = "activity company contact deal key member pipeline stage subscription workspace".split(" ");

/** Fields with the id of a record that no example shows. */
const NOT_SHOWN = ["merged_contact_id"];

Deno.test("In the examples of the OpenAPI documents every id has one kind, and belongs to a record that is shown", () => {
  const kinds = new Map<string, string>();
  const shown = new Set(objects.flatMap(({ object }) => [
    object["id"],
    object["event_id"],
    // In a deal's contacts, each object shows the contact that contact_id names.
    "is_main" in object ? object["contact_id"] : undefined,
  ]));
  for (const { place, object } of objects) {
    for (const [name, id] of Object.entries(object)) {
      if (
        !name.endsWith("_id") || typeof id !== "string" ||
        ["object_id", "external_id", "actor_id"].includes(name)
      ) {
        continue;
      }
      const kind = KINDS[name] ?? name.slice(0, -"_id".length);
      assert.equal(kinds.get(id) ?? kind, kind, `${place}: ${name}`);
      kinds.set(id, kind);
      if (SHOWN.includes(kind) && !NOT_SHOWN.includes(name)) {
        assert.ok(shown.has(id), `${place}: ${name} ${id}`);
      }
    }
  }
  assert.ok(kinds.size > 15);
});

Deno.test("In the examples of the OpenAPI documents no time is before created_at, and won_at and the like are set exactly in their state", () => {
  const times: [field: string, value: string, time: string][] = [
    ["status", "ganho", "won_at"],
    ["status", "perdido", "lost_at"],
    ["status", "concluida", "completed_at"],
    ["status", "aceita", "accepted_at"],
    ["status", "recusada", "rejected_at"],
    ["state", "revoked", "revoked_at"],
  ];
  for (const { place, object } of objects) {
    const { created_at, updated_at } = object as Record<string, string>;
    for (const [name, time] of Object.entries(object)) {
      if (!name.endsWith("_at") || typeof time !== "string" || !created_at) continue;
      assert.ok(time >= created_at, `${place}: ${name} ${time} is before created_at`);
    }
    assert.ok(!updated_at || updated_at >= created_at!, place);
    for (const [field, value, time] of times) {
      if (!(field in object && time in object)) continue;
      assert.equal(object[field] === value, object[time] !== null, `${place}: ${time}`);
    }
    if ("closed_at" in object && "won_at" in object) {
      assert.equal(object["closed_at"], object["won_at"] ?? object["lost_at"], place);
    }
  }
});

Deno.test("In the OpenAPI documents each example of a delivery fits its event, and the feed's example shows the same events", () => {
  const { webhooks, paths } = documents.api;
  const bodies = new Map<EventType, Example>();
  for (const event of EVENT_TYPES) {
    const { example } = webhooks[event].post.requestBody.content["application/json"];
    assert.deepEqual(deliveryBody(event).parse(example), example);
    assert.equal(example.object_id, example.data.id ?? example.data.lead.deal_id);
    assert.ok(!("test" in example));
    assert.ok(!example.data.created_at || example.occurred_at >= example.data.created_at, event);
    bodies.set(event, example);
  }
  const { data } = paths["/api-v1-events"].get.responses[200].content["application/json"].example;
  for (const example of data) {
    assert.deepEqual(feedEvent(example.event).parse(example), example);
    const { event_id, delivery_id: _, ...delivered } = bodies.get(example.event)!;
    assert.deepEqual(example, { ...delivered, id: event_id });
  }
});
