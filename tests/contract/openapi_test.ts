// The OpenAPI documents are generated from the endpoint tables. Compares them with the tables and the live service.
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { Audience } from "../../tools/openapi/audience.ts";
import { openApiDocument } from "../../tools/openapi/document.ts";
import type { Resource } from "../../supabase/functions/_shared/contract/endpoint.ts";
import { REPLY_HEADERS } from "../../supabase/functions/_shared/http/reply.ts";
import { EVENT_TYPES } from "../../supabase/functions/_shared/contract/events.ts";
import { call, type Reply } from "../support/client.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { addressOf, GATE_CASES } from "../support/gates.ts";
import { makeProposal, tokenOf } from "../support/proposals.ts";
import { endpoints } from "../support/resources.ts";
import {
  addContactFor,
  makeAppSamples,
  makeSamples,
  neededQuery,
  recordIdFor,
  withSampleIds,
} from "../support/samples.ts";
import { signIn } from "../support/sessions.ts";
import { openDatabase } from "../support/stack.ts";

interface Documented {
  headers?: Record<string, unknown>;
  content?: Record<string, { schema: { allOf: [unknown, { properties: { error: ErrorOfOperation } }] } }>;
}

/** What the document says about an operation's error reply, besides the envelope of all errors. */
interface ErrorOfOperation {
  properties: { code: { enum: string[] } };
}

interface Operation {
  operationId: string;
  requestBody?: { content: { "application/json": { schema: unknown; example: Record<string, unknown> } } };
  responses: Record<string, Documented & { $ref?: string }>;
}

const AUDIENCES = ["api", "app"] as const;

// deno-lint-ignore no-explicit-any -- read without types, as an integrator's tool reads it
const documents: Record<Audience, any> = {
  api: openApiDocument("api", "pt"),
  app: openApiDocument("app", "pt"),
};

const documentOf = ({ gate }: Resource) => documents[gate === "session" ? "app" : "api"];

function operationOf(method: string, resource: Resource, path: string): Operation {
  const address = `/${resource.name}${path.replaceAll(/:(\w+)/g, "{$1}").replace(/\/$/, "")}`;
  return documentOf(resource).paths[address][method.toLowerCase()];
}

/** Asserts that the document declares the reply's status, code and headers. */
function assertDocumented(resource: Resource, operation: Operation, reply: Reply): void {
  // 2XX stands for 201 and for the 200 of a repeated creation.
  const named = operation.responses[reply.status] ?? (reply.status === 200 && operation.responses["2XX"]);
  assert.ok(named, `${operation.operationId} documents no ${reply.status}: ${reply.text}`);
  const response: Documented = named.$ref
    ? documentOf(resource).components.responses[named.$ref.split("/").pop()!]
    : named;
  for (const header of REPLY_HEADERS) {
    if (!reply.headers.has(header)) continue;
    assert.ok(
      response.headers && header in response.headers,
      `${operation.operationId} ${reply.status}: ${header}`,
    );
  }
  if (reply.status < 400) return;
  const codes = response.content!["application/json"]!.schema.allOf[1].properties.error.properties.code.enum;
  assert.ok(codes.includes(reply.body.error.code), `${operation.operationId}: ${reply.body.error.code}`);
}

/** Members of the document that are texts for people. */
const TEXTS = ["summary", "description", "x-displayName"];

Deno.test("The Portuguese and English OpenAPI documents differ only in their texts", () => {
  for (const audience of AUDIENCES) {
    const shape = (language: "pt" | "en") =>
      JSON.stringify(
        openApiDocument(audience, language),
        (name, value) => TEXTS.includes(name) && typeof value === "string" ? "" : value,
      );
    assert.equal(shape("pt"), shape("en"));
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

Deno.test("Schemas of details and actions in the OpenAPI documents extend their record's", () => {
  const { schemas } = documents.api.components;
  for (const [name, base] of [["DealDetail", "Deal"], ["DealAction", "Deal"], ["DealStageChanged", "Deal"]]) {
    const [first, added] = schemas[name!].allOf;
    assert.equal(first.$ref, `#/components/schemas/${base}`);
    assert.deepEqual(Object.keys(added.properties).filter((field) => field in schemas[base!].properties), []);
  }
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

Deno.test("The OpenAPI documents name the local stack first, then the hosted service", () => {
  for (const audience of AUDIENCES) {
    const [local, hosted] = documents[audience].servers;
    assert.match(local.url, /^http:\/\/127\.0\.0\.1:\d+\/functions\/v1$/);
    assert.match(hosted.url, /^https:\/\/\{project\}/);
  }
});

Deno.test("Every request example of the OpenAPI document is answered with the status that it declares (spec 2.5)", async (t) => {
  await using sql = openDatabase();
  for (const { resource, route, title } of endpoints) {
    await t.step(title, async () => {
      const { id: workspaceId, key, stages } = await makeWorkspace(sql);
      const samples = await makeSamples(key, stages);
      const signedIn = resource.gate === "session" ? await signIn(sql, workspaceId, "admin") : null;
      const records = { ...samples.records, ...await makeAppSamples(sql, workspaceId, signedIn?.email) };
      const credentials = signedIn ?? { key };
      const operation = operationOf(route.method, resource, route.path);
      const example = operation.requestBody?.content["application/json"].example;
      const query = neededQuery(route.endpoint, samples);
      const token = tokenOf((await makeProposal(sql, samples.deal_id)).link);
      // Only the sample subscription of `app-v1-webhooks` has a delivery.
      const delivery_id = records["app-v1-deliveries"]!;
      const name = route.path.includes(":delivery_id") ? "app-v1-webhooks" : resource.name;
      const id = recordIdFor(records, name, route.path) ?? "";
      const ids = { id, delivery_id, contact_id: samples.other_contact_id, token };
      const path = addressOf(resource.name, route.path, ids);
      await addContactFor(route.path, key, samples);
      const body = example && withSampleIds(example, samples, route.path);
      // A merge needs a second record of the same kind.
      if (body?.["merge_id"]) {
        const other = await call("POST", `/${resource.name}`, {
          ...credentials,
          body: { name: "Outro registro" },
        });
        body["merge_id"] = other.body.id;
      }
      const reply = await call(route.method, path + query, { ...credentials, ...(body && { body }) });
      assert.equal(reply.status, route.endpoint.status, reply.text);
      assertDocumented(resource, operation, reply);
    });
  }
});

Deno.test("Every reply example of the OpenAPI document is valid against the operation's schema", () => {
  for (const { resource, route } of endpoints) {
    const { endpoint } = route;
    const { reply } = endpoint;
    if (reply === null) continue;
    const statuses = endpoint.gate === "none" ? Object.keys(endpoint.replies) : [endpoint.status];
    for (const status of statuses) {
      const { content } = operationOf(route.method, resource, route.path).responses[status]!;
      const { example } = content!["application/json"] as unknown as { example: unknown };
      assert.deepEqual(reply.parse(example), example);
    }
  }
});

Deno.test("The OpenAPI document declares the status, code and headers of every error reply (spec 4, 7)", async (t) => {
  await using sql = openDatabase();
  for (const { resource, route, title } of endpoints) {
    const operation = operationOf(route.method, resource, route.path);
    const { admit } = GATE_CASES[resource.gate];
    const { token, ...credentials } = await admit(sql);
    const { token: _, ...powerless } = await admit(sql, "none");
    const path = addressOf(resource.name, route.path, { token });
    const nowhere = addressOf(resource.name, route.path, { id: "x", token: "x" });
    const body = route.endpoint.body && {};
    await t.step(title, async () => {
      const send = (path: string, options: Parameters<typeof call>[2]) =>
        call(route.method, path, { ...credentials, body, ...options });
      const replies = [
        await send(path, { key: null, session: null }),
        await send(path, { key: "svc_x", session: "x" }),
        await send(path, powerless),
        await send(path, {}),
        await send(nowhere, {}),
        await send(`${path}?nome=1`, {}),
        await send(`${path}?cursor=x`, {}),
        await call("PUT", path, credentials),
      ];
      if (body) {
        replies.push(
          await send(path, { body: "{" }),
          await send(path, { body: " ".repeat(1024 * 1024 + 1) }),
          await send(path, { headers: { "Idempotency-Key": "k".repeat(256) } }),
        );
      }
      for (const reply of replies) assertDocumented(resource, operation, reply);
    });
  }
});
