// Rules of the contract that concern the whole service.
import assert from "node:assert/strict";
import { z } from "zod";
import type { Endpoint } from "../../supabase/functions/_shared/contract/endpoint.ts";
import { isEventType } from "../../supabase/functions/_shared/contract/events.ts";
import { ERRORS } from "../../supabase/functions/_shared/contract/errors.ts";
import { SCOPES } from "../../supabase/functions/_shared/contract/scopes.ts";
import { openApiDocument } from "../../tools/openapi/document.ts";
import { call } from "../support/client.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { apiResources, bodyOf, keyEndpoints } from "../support/resources.ts";
import { makeSamples } from "../support/samples.ts";
import { inputSchema } from "../support/input_schema.ts";
import { test } from "../support/scenario.ts";

/** Whether the reply is a list, and not a single object such as the key or the workspace. */
const isList = ({ reply }: Endpoint) => reply instanceof z.ZodObject && "data" in reply.shape;

/**
 * The endpoints of part 4 of the contract with the scopes that part 5.4 names. It does not name the scopes of deals,
 * activities and companies, which follow the same pattern.
 */
const CONTRACT = `
  POST /api-v1-leads leads:write
  GET /api-v1-deals deals:read
  POST /api-v1-deals deals:write
  GET /api-v1-deals/:id deals:read
  PATCH /api-v1-deals/:id deals:write
  POST /api-v1-deals/:id/move-stage deals:write
  POST /api-v1-deals/:id/win deals:write
  POST /api-v1-deals/:id/lose deals:write
  GET /api-v1-activities activities:read
  POST /api-v1-activities activities:write
  GET /api-v1-activities/:id activities:read
  PATCH /api-v1-activities/:id activities:write
  GET /api-v1-notes notes:read
  POST /api-v1-notes notes:write
  GET /api-v1-notes/:id notes:read
  GET /api-v1-contacts contacts:read
  POST /api-v1-contacts contacts:write
  GET /api-v1-contacts/:id contacts:read
  PATCH /api-v1-contacts/:id contacts:write
  GET /api-v1-companies companies:read
  POST /api-v1-companies companies:write
  GET /api-v1-companies/:id companies:read
  PATCH /api-v1-companies/:id companies:write
  GET /api-v1-pipelines pipelines:read
  GET /api-v1-webhooks webhooks:manage
  POST /api-v1-webhooks webhooks:manage
  DELETE /api-v1-webhooks/:id webhooks:manage`;

Deno.test("Every endpoint of the contract exists, with its scope (spec 4, 5)", () => {
  const declared = keyEndpoints.map(({ title, route }) => `${title} ${route.endpoint.scope}`);
  // Endpoints may be added without a new version (spec 9); none of these may be removed.
  const missing = CONTRACT.trim().split(/\s*\n\s*/).filter((promised) => !declared.includes(promised));
  assert.deepEqual(missing, []);
});

Deno.test("Every resource is one function, with the API's version in its name (spec 1, 9)", () => {
  // A customer's link has no version in its path, because it must outlive a version.
  const api = apiResources.filter(({ gate }) => gate !== "link");
  for (const { name } of api) assert.match(name, /^api-v1-[a-z]+(-[a-z]+)*$/);
});

Deno.test("Every scope has the form <resource>:read, :write or :manage, and some endpoint requires it (spec 5)", () => {
  const required = new Set(keyEndpoints.flatMap(({ route }) => route.endpoint.scope ?? []));
  assert.deepEqual([...required].sort(), [...SCOPES].sort());
  for (const scope of SCOPES) assert.match(scope, /^[a-z]+([_-][a-z]+)*:(read|write|manage)$/);
});

Deno.test("Every field, parameter and error code is snake_case, and every error text is a sentence without a full stop (spec 1)", () => {
  const names: string[] = Object.keys(ERRORS);
  JSON.stringify(openApiDocument("api", "pt"), (key, value) => {
    if (key === "properties") names.push(...Object.keys(value));
    if (value?.in === "query") names.push(value.name);
    return value;
  });
  assert.ok(names.length > 100);
  for (const name of names) assert.match(name, /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
  for (const { message } of Object.values(ERRORS)) assert.match(message, /^\p{Lu}.*[^.]$/u);
});

Deno.test("The event catalog has the contract's 12 events (spec 6.1, 9)", () => {
  const promised = `
    activity.created activity.overdue contact.created deal.created deal.lost deal.stage_changed deal.stale
    deal.won lead.received proposal.accepted proposal.rejected proposal.viewed
  `.trim().split(/\s+/);
  assert.deepEqual(promised.filter((event) => !isEventType(event)), []);
});

test("Every time in a reply is UTC with milliseconds and Z, whatever offset was sent; a date has no time (spec 1)", async ({ workspace: { key, stages }, api }) => {
  const { records, deal_id } = await makeSamples(key, stages);
  await api.patch(`/api-v1-deals/${deal_id}`, { expected_close_date: "2026-12-31" });
  await api.patch(`/api-v1-activities/${records["api-v1-activities"]}`, {
    due_at: "2026-12-31T21:00:00.1-03:00",
  });

  const moments: Record<string, string[]> = {};
  for (const [name, id] of Object.entries(records)) {
    const path = name === "api-v1-webhooks" ? `/${name}` : `/${name}/${id}`;
    JSON.stringify((await api.get(path)).body, (field, value) => {
      if (/_(at|date)$/.test(field) && value !== null) (moments[field] ??= []).push(value);
      return value;
    });
  }
  assert.deepEqual([...new Set(moments["due_at"])], ["2027-01-01T00:00:00.100Z"]);
  assert.deepEqual([...new Set(moments["expected_close_date"])], ["2026-12-31"]);
  delete moments["expected_close_date"];
  for (const moment of Object.values(moments).flat()) {
    assert.match(moment, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  }
});

test("A list contains only records of the key's workspace; all lists but pipelines and webhooks are paginated, and events have a cursor on the last page too (spec 1, 4.0, 5)", async ({ sql, workspace: ours }) => {
  const theirs = await makeWorkspace(sql);
  const mine = await makeSamples(ours.key, ours.stages);
  const other = await makeSamples(theirs.key, theirs.stages);
  for (const { resource, route, title } of keyEndpoints) {
    // A search has no pages (tests/api/search/everything_test.ts).
    const isPlain = route.method === "GET" && route.path === "/" && resource.name !== "api-v1-search";
    if (!isPlain || !isList(route.endpoint)) continue;
    const query = route.endpoint.query.safeParse({}).success ? "" : `?deal_id=${mine.deal_id}`;
    const { text, body } = await call("GET", `/${resource.name}${query}`, { key: ours.key });
    assert.ok(body.data.length > 0, title);
    for (const id of [theirs.id, ...Object.values(other.records)]) assert.ok(!text.includes(id), title);
    const paginated = !["api-v1-pipelines", "api-v1-webhooks"].includes(resource.name);
    assert.deepEqual(Object.keys(body), paginated ? ["data", "meta"] : ["data"]);
    if (!paginated) continue;
    assert.equal(body.meta.has_more, false);
    // Only the feed always has a next_cursor, after which later events are read.
    assert.equal(body.meta.next_cursor !== null, resource.name === "api-v1-events");
  }
});

/** Fields of a contact with a phone number or one line of text. */
const LINES = ["phone", "phone2", "whatsapp", "job_title"];

Deno.test("Leads, contacts and notes declare the limits that the contract names (spec 2.1, 2.3, 8)", () => {
  const limitsOf = (address: string, field: string) => {
    const { anyOf = [], ...schema } = inputSchema(bodyOf(address, "POST", "/")).properties![field]!;
    const { minLength, maxLength, maxProperties } = anyOf.find(({ type }) => type !== "null") ?? schema;
    return [minLength, maxLength ?? maxProperties];
  };
  const limits = {
    "/api-v1-leads": {
      first_name: [1, 120],
      last_name: [undefined, 120],
      phone: [undefined, 40],
      company_name: [1, 255],
      external_id: [1, 255],
      source: [undefined, 120],
      custom_fields: [undefined, 50],
      utm_term: [undefined, 2048],
    },
    "/api-v1-contacts": {
      name: [1, 255],
      notes: [undefined, 10_000],
      custom_fields: [undefined, 50],
      ...Object.fromEntries(LINES.map((line) => [line, [undefined, 255]])),
      instagram: [undefined, 2048],
      linkedin: [undefined, 2048],
    },
    "/api-v1-notes": { body: [1, 10_000] },
  };
  for (const [address, fields] of Object.entries(limits)) {
    for (const [field, expected] of Object.entries(fields)) {
      assert.deepEqual(limitsOf(address, field), expected, `${address} ${field}`);
    }
  }
});
