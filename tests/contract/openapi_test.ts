// The OpenAPI documents are generated from the endpoint tables. Compares them with the tables and the live service.
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { openApiDocument } from "../../tools/openapi/document.ts";
import { EVENT_TYPES } from "../../supabase/functions/_shared/contract/events.ts";
import { signedHeaders } from "../../supabase/functions/webhook-dispatcher/sign.ts";
import { call } from "../support/client.ts";
import { assertDocumented, documents, operationOf } from "../support/documented.ts";
import { addressOf, credentialsFor } from "../support/gates.ts";
import { endpoints } from "../support/resources.ts";

interface Operation {
  operationId: string;
  requestBody?: { content: { "application/json": { schema: unknown } } };
  responses: Record<string, { content?: { "application/json": { schema: unknown } } }>;
}

const AUDIENCES = ["api", "app"] as const;

/** Members of the document that are texts for people. */
const TEXTS = ["summary", "description", "x-displayName"];

Deno.test("The Portuguese and English OpenAPI documents differ only in their texts", () => {
  for (const audience of AUDIENCES) {
    const shape = (document: unknown) =>
      JSON.stringify(
        document,
        (name, value) => TEXTS.includes(name) && typeof value === "string" ? "" : value,
      );
    assert.equal(shape(documents[audience]), shape(openApiDocument(audience, "en")));
  }
});

Deno.test("No schema of an OpenAPI document is closed: a reply may gain a field without a new version (spec 9)", () => {
  assert.ok(!JSON.stringify(documents).includes('"additionalProperties":false'));
});

Deno.test("Every operation of an OpenAPI document has a unique id, made of resource and action", () => {
  for (const audience of AUDIENCES) {
    const { paths, webhooks = {} } = documents[audience];
    const operations = [paths, webhooks].flatMap(Object.values).flatMap(Object.values) as Operation[];
    const ids = operations.map(({ operationId }) => operationId);
    assert.equal(new Set(ids).size, ids.length);
    if (audience === "app") continue;
    const expected = `
      contacts.list contacts.get contacts.create contacts.update deals.move_stage deals.win leads.create
      webhooks.delete webhooks.deliveries webhooks.delivery webhooks.redeliver webhooks.redeliver_deliveries proposals.accept health.get
    `.trim().split(/\s+/);
    assert.deepEqual(expected.filter((id) => !ids.includes(id)), []);
  }
});

Deno.test("Every body of an OpenAPI document is a named schema, and so is every enumeration in it", () => {
  for (const audience of AUDIENCES) {
    const { paths, components } = documents[audience];
    const operations = Object.values(paths).flatMap((path) => Object.values(path as object)) as Operation[];
    for (const { operationId, requestBody, responses } of operations) {
      const bodies = [requestBody, ...Object.values(responses)]
        .map((body) => body?.content?.["application/json"]?.schema as Record<string, unknown> | undefined);
      for (const schema of bodies) {
        // Some POSTs take an empty object as their body.
        if (schema === undefined || isDeepStrictEqual(schema, { type: "object", properties: {} })) continue;
        const named = schema["$ref"] ?? (schema["allOf"] as { $ref?: string }[] | undefined)?.[0]?.$ref;
        assert.ok(named, `${operationId}: ${JSON.stringify(schema)}`);
      }
    }
    for (
      const [name, { enum: _, ...schema }] of Object.entries<Record<string, unknown>>(components.schemas)
    ) {
      JSON.stringify(schema, (key, value) => {
        const isWords = key === "enum" && value.length > 1 && typeof value[0] === "string";
        assert.ok(!isWords, `${audience} ${name}: ${value}`);
        return value;
      });
    }
  }
});

Deno.test("Schemas of details and actions in the OpenAPI documents extend the schema of their record", () => {
  const { schemas } = documents.api.components;
  for (const [name, base] of [["DealDetail", "Deal"], ["DealAction", "Deal"], ["DealStageChanged", "Deal"]]) {
    const [first, added] = schemas[name!].allOf;
    assert.equal(first.$ref, `#/components/schemas/${base}`);
    assert.deepEqual(Object.keys(added.properties).filter((field) => field in schemas[base!].properties), []);
  }
});

Deno.test("A field with a named schema has its own text in the OpenAPI document", () => {
  const { payload } = documents.api.components.schemas.NewSubscription.properties;
  assert.match(JSON.stringify(payload), /"\$ref"/);
  assert.match(payload.description, /null/);
});

Deno.test("The OpenAPI documents have a union of deliveries and one of events, with the discriminator event", () => {
  const { schemas } = documents.api.components;
  for (const union of ["WebhookDelivery", "Event"]) {
    const { oneOf, discriminator: { propertyName, mapping } } = schemas[union];
    assert.equal(propertyName, "event");
    assert.deepEqual(Object.keys(mapping), EVENT_TYPES);
    assert.deepEqual(oneOf.map(({ $ref }: { $ref: string }) => $ref), Object.values(mapping));
    for (const [event, ref] of Object.entries<string>(mapping)) {
      const [, own] = schemas[ref.split("/").pop()!].allOf;
      assert.equal(own.properties.event.const, event);
      assert.ok(own.required.includes("event"));
    }
  }
});

Deno.test("The OpenAPI document declares the headers of deliveries (spec 6.3)", () => {
  const values = {
    event: "deal.won",
    eventId: "",
    deliveryId: "",
    body: new Uint8Array(),
    timestamp: 1,
    secret: "a",
  };
  const [always, sometimes] = [null, "b"].map((nextSecret) =>
    Object.keys(signedHeaders({ ...values, nextSecret }))
  );
  const { parameters } = documents.api.components;
  type Header = { name: string; required: boolean; $ref?: string };
  for (const { post } of Object.values<{ post: { parameters: Header[] } }>(documents.api.webhooks)) {
    const headers = post.parameters.map((header) =>
      parameters[header.$ref?.split("/").pop() ?? ""] ?? header
    );
    const named = (headers: Header[]) => headers.map(({ name }) => name).sort();
    assert.deepEqual(named(headers), sometimes!.sort());
    assert.deepEqual(named(headers.filter(({ required }) => required)), always!.sort());
  }
});

Deno.test("Every reply example of the OpenAPI document is valid against the operation's schema", () => {
  for (const { resource, route } of endpoints) {
    const { endpoint } = route;
    const { reply } = endpoint;
    if (reply === null) continue;
    const statuses = endpoint.gate === "none" ? Object.keys(endpoint.replies) : [endpoint.status];
    for (const status of statuses) {
      const { example } = operationOf(resource.name, route).responses[status].content["application/json"];
      assert.deepEqual(reply.parse(example), example);
    }
  }
});

// one_statement_test.ts, every_endpoint_test.ts and every_app_endpoint_test.ts assert the same for other errors.
Deno.test("The OpenAPI document declares the status, code and headers of every error reply (spec 4, 7)", async (t) => {
  for (const { resource, route, title } of endpoints) {
    await t.step(title, async () => {
      const { token, ...credentials } = await credentialsFor(resource);
      const path = addressOf(resource.name, route.path, { token });
      const nowhere = addressOf(resource.name, route.path, { id: "x", token: "x" });
      const body = route.endpoint.body && {};
      const send = (path: string, options: Parameters<typeof call>[2] = {}) =>
        call(route.method, path, { ...credentials, body, ...options });
      const replies = [
        await send(nowhere),
        await send(`${path}?cursor=x`),
        await call("PUT", path, credentials),
      ];
      if (body) {
        replies.push(
          await send(path, { body: " ".repeat(1024 * 1024 + 1) }),
          await send(path, { headers: { "Idempotency-Key": "k".repeat(256) } }),
        );
      }
      for (const reply of replies) assertDocumented(resource.name, route, reply);
    });
  }
});
