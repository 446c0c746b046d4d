import type { Sql } from "postgres";
import { createKey, revokeKey } from "../../operator/keys.ts";
import { createProposal, sendProposal } from "../../operator/proposals.ts";
import { createWorkspace, updateWorkspace } from "../../operator/workspaces.ts";
import { openApiDocument } from "../../openapi/document.ts";
import { keyEndpoints as endpoints, resources } from "../../contract/resources.ts";
import { SCOPES } from "../../supabase/functions/_shared/contract/scopes.ts";
import type { PlannedRequest } from "./load.ts";

/** `unasked` is answered without the database: what it carries cannot be a key or a token. */
export type Kind = "endpoint" | "replay" | "refusal" | "unasked";

export interface KindRequest extends PlannedRequest {
  kind: Kind;
  title: string;
}

interface Account {
  sql: Sql;
  /** `<origin>/functions/v1` */
  baseUrl: string;
  id: string;
  key: string;
  /** Ids for the fields of a body, by their names. */
  ids: Record<string, string>;
  /** Id of a record by the name of its function. */
  records: Record<string, string>;
}

type Requests = AsyncGenerator<KindRequest, void, undefined>;

const NOWHERE = "00000000-0000-7000-8000-000000000000";
const CONTACTS = "/api-v1-contacts";
/** One key makes all of the requests, within a minute. */
const RATE_LIMIT = 1_000;

/**
 * A request for every endpoint that succeeds, for everything that may be sent twice, and for every refusal. What one
 * needs is made before it is given out, and undone by no other: take them one after the other.
 */
export async function* everyKindOfRequest(sql: Sql, baseUrl: string): Requests {
  const account = await makeAccount(sql, baseUrl);
  yield* successes(account);
  yield* replays(account);
  yield* proposalLinks(account);
  yield* refusalsOfEveryEndpoint(account);
  yield* refusalsOfBodies(account);
  yield* refusalsOfKeys(account);
}

async function* successes({ key, ids, records }: Account): Requests {
  for (const { resource, route, title } of endpoints) {
    const body = exampleBody(route.method, resource.name, route.path, ids);
    const needsDeal = !route.endpoint.query.safeParse({}).success;
    const path = pathOf(resource.name, route.path, records[resource.name]);
    yield {
      ...request("endpoint", title, route.method, path + (needsDeal ? `?deal_id=${ids["deal_id"]}` : "")),
      ...withBody(body, key),
      expect: route.endpoint.status,
    };
  }
  yield request("endpoint", "health", "GET", "/api-v1-health");
}

async function* replays({ key, ids, records }: Account): Requests {
  const lead = withBody({ first_name: "Ana", external_id: "again" }, key);
  yield { ...request("endpoint", "a lead with external_id", "POST", "/api-v1-leads", 201), ...lead };
  yield { ...request("replay", "the same lead again", "POST", "/api-v1-leads"), ...lead };
  for (const { resource, route, title } of endpoints) {
    if (!route.endpoint.idempotent) continue;
    const path = pathOf(resource.name, route.path);
    const sent = withBody(exampleBody(route.method, resource.name, route.path, ids), key);
    sent.headers["Idempotency-Key"] = title;
    const other = { ...sent, body: { ...sent.body as object, custom_fields: { other: true } } };
    yield { ...request("endpoint", `${title} with Idempotency-Key`, "POST", path, 201), ...sent };
    yield { ...request("replay", `${title} with the same key and body`, "POST", path), ...sent };
    yield { ...request("refusal", `${title} with the same key, another body`, "POST", path, 422), ...other };
  }
  const deal = pathOf("api-v1-deals", "/:id", records["api-v1-deals"]);
  yield {
    ...request("replay", "winning a deal that is closed", "POST", `${deal}/win`),
    ...withBody({}, key),
  };
}

async function* proposalLinks({ sql, baseUrl, ids }: Account): Requests {
  const { id } = await createProposal(sql, { dealId: ids["deal_id"]!, title: "Plano anual" });
  const link = (await sendProposal(sql, id, baseUrl)).url.slice(baseUrl.length);
  yield request("endpoint", "a proposal's link", "GET", link);
  yield {
    ...request("refusal", "a rejection with a wrong reason", "POST", `${link}/reject`, 422),
    body: { reason: 1 },
  };
  yield request("refusal", "a method that the link has not", "PUT", link, 405);
  yield request("endpoint", "its acceptance", "POST", `${link}/accept`);
  yield request("replay", "its acceptance again", "POST", `${link}/accept`);
  yield request("refusal", "its rejection afterwards", "POST", `${link}/reject`, 409);
  yield request("refusal", "a token that nobody has", "GET", `/proposals/${"a".repeat(43)}`, 404);
  yield request("unasked", "what is no token", "GET", "/proposals/a", 404);
}

async function* refusalsOfEveryEndpoint({ sql, id, key }: Account): Requests {
  const powerless = await createKey(sql, { workspaceId: id, name: "Bench", scopes: ["nothing:read"] });
  for (const { resource, route, title } of endpoints) {
    const path = pathOf(resource.name, route.path, NOWHERE);
    const body = route.endpoint.body && {};
    const refusal = (why: string, path: string, status: number, by = key) => ({
      ...request("refusal", `${title}, ${why}`, route.method, path, status),
      ...withBody(body, by),
    });
    yield refusal("without its scope", path, 403, powerless.key);
    yield refusal("with an unknown parameter", `${path}?unknown=1`, 422);
    yield { ...refusal("with another method", path, 405), method: "PUT" };
    if (path.includes(NOWHERE)) yield refusal("of a record with no id", path.replace(NOWHERE, "x"), 404);
  }
}

async function* refusalsOfBodies({ key }: Account): Requests {
  const send = (why: string, status: number, body?: unknown) => ({
    ...request("refusal", why, "POST", CONTACTS, status),
    ...withBody(body, key),
  });
  yield send("no body", 400);
  yield send("a body that is no object", 400, []);
  yield send("a body with nothing in it", 422, {});
  yield send("a body over 1 MiB", 413, { name: "A".repeat(1024 * 1024) });
  yield send("an owner that nobody has", 422, { name: "A", owner_id: NOWHERE });
  const wrongKey = send("an Idempotency-Key that is too long", 400, { name: "A" });
  yield { ...wrongKey, headers: { ...wrongKey.headers, "Idempotency-Key": "a".repeat(256) } };
  yield {
    ...request("refusal", "a path that is not there", "GET", `${CONTACTS}/a/b`, 404),
    headers: keyHeader(key),
  };
  yield {
    ...request("refusal", "a record that is not there", "GET", `${CONTACTS}/${NOWHERE}`, 404),
    headers: keyHeader(key),
  };
}

/** Ends with what shuts the account out. */
async function* refusalsOfKeys({ sql, id, key }: Account): Requests {
  const get = (why: string, status: number, key: string, kind: Kind = "refusal") => ({
    ...request(kind, why, "GET", CONTACTS, status),
    headers: keyHeader(key),
  });
  yield request("unasked", "no key", "GET", CONTACTS, 401);
  yield get("what is no key", 401, "x", "unasked");
  yield get("a key that nobody has", 401, "svc_x");
  const revoked = await createKey(sql, { workspaceId: id, name: "Bench", scopes: [...SCOPES] });
  await revokeKey(sql, revoked.id);
  yield get("a revoked key", 401, revoked.key);
  await updateWorkspace(sql, id, { rateLimit: 1 });
  yield get("a call over the rate limit", 429, key);
  await updateWorkspace(sql, id, { publicApi: false });
  yield get("a plan without the API", 403, key);
  await updateWorkspace(sql, id, { suspended: true });
  yield get("a suspended account", 403, key);
}

async function makeAccount(sql: Sql, baseUrl: string): Promise<Account> {
  const { id } = await createWorkspace(sql, { name: "Bench" });
  await updateWorkspace(sql, id, { rateLimit: RATE_LIMIT });
  const { key } = await createKey(sql, { workspaceId: id, name: "Bench", scopes: [...SCOPES] });
  const create = async (path: string, body: unknown) => {
    const { headers } = withBody(body, key);
    const response = await fetch(baseUrl + path, { method: "POST", headers, body: JSON.stringify(body) });
    const text = await response.text();
    if (response.status !== 201) throw new Error(`POST ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  };
  const { lead } = await create("/api-v1-leads", { first_name: "Ana", company_name: "Padaria Sol" });
  const { deal_id, contact_id, company_id } = lead as Record<string, string> & { deal_id: string };
  const [stage] = await sql<[{ id: string }]>`
    select id from crm.stages where workspace_id = ${id} order by position desc limit 1`;
  const subscription = { event_types: ["deal.stale"], target_url: "https://exemplo.com.br/" };
  return {
    sql,
    baseUrl,
    id,
    key,
    ids: { deal_id, contact_id: contact_id!, company_id: company_id!, stage_id: stage.id },
    records: {
      "api-v1-deals": deal_id,
      "api-v1-contacts": contact_id!,
      "api-v1-companies": company_id!,
      "api-v1-activities": (await create("/api-v1-activities", { deal_id })).id,
      "api-v1-notes": (await create("/api-v1-notes", { deal_id, body: "Olá" })).id,
      "api-v1-webhooks": (await create("/api-v1-webhooks", subscription)).id,
    },
  };
}

function request(kind: Kind, title: string, method: string, path: string, expect = 200): KindRequest {
  return { kind, title, method, path, expect, headers: {} };
}

function withBody(body: unknown, key: string) {
  return { headers: keyHeader(key), ...(body !== undefined && { body }) };
}

function keyHeader(key: string): Record<string, string> {
  return { "X-API-Key": key };
}

function pathOf(name: string, path: string, id = ""): string {
  return `/${name}${path.replace(":id", id).replace(/\/$/, "")}`;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
}

interface Operation {
  requestBody?: { content: { "application/json": { example: Record<string, unknown> } } };
}

const { paths } = openApiDocument(resources, "en") as Document;

/** The body that the OpenAPI document shows, with ids of records that are there in the place of the made-up ones. */
function exampleBody(method: string, name: string, path: string, ids: Record<string, string>): unknown {
  const operation = paths[pathOf(name, path, "{id}")]![method.toLowerCase()]!;
  const example = operation.requestBody?.content["application/json"].example;
  return example &&
    Object.fromEntries(Object.entries(example).map(([field, value]) => [field, ids[field] ?? value]));
}
