import type { Sql } from "postgres";
import { endpoints, keyEndpoints } from "../../../tools/resources.ts";
import type { AccessTokens } from "../../../run/local/auth/access_tokens.ts";
import { generateKey } from "../../../supabase/functions/_shared/keys/generate_key.ts";
import { createKey } from "../../../run/operator/keys.ts";
import { sendProposal } from "../../../run/operator/proposals.ts";
import { createWorkspace, updateWorkspace } from "../../../run/operator/workspaces.ts";
import type { GateName } from "../../../supabase/functions/_shared/contract/declaration.ts";
import { takesQuery } from "../../../supabase/functions/_shared/contract/endpoint.ts";
import { SCOPES } from "../../../supabase/functions/_shared/contract/scopes.ts";
import { makeMember, signInAs } from "../../harness/sessions.ts";
import {
  exampleBody,
  makeAppSamples,
  makeOperation,
  makeSamples,
  neededQuery,
  pathOf,
  type Samples,
  withSampleIds,
} from "../../harness/samples.ts";
import { type PlannedRequest, sendOnce } from "../load/template.ts";

/**
 * `malformed` is answered without the database: its credential cannot be a key or a token. `first large body` is a body over
 * 16 KiB whose key this isolate has not admitted lately: the key is identified before the body is read.
 */
export type Kind = "endpoint" | "replay" | "error" | "malformed" | "first large body";

export interface KindRequest extends PlannedRequest {
  kind: Kind;
  title: string;
}

/** A workspace with one record of each kind, and the key that makes the requests. */
interface Caller {
  sql: Sql;
  /** `<origin>/functions/v1` */
  baseUrl: string;
  workspaceId: string;
  key: string;
  tokens: AccessTokens;
  samples: Samples;
}

type Requests = AsyncGenerator<KindRequest, void, undefined>;

const UNKNOWN_ID = "00000000-0000-7000-8000-000000000000";
const CONTACTS = "/api-v1-contacts";
const NOWHERE = "https://127.0.0.1:9443/hooks";
const WEBHOOKS = "api-v1-webhooks";
/** One key sends all requests, within a minute. */
const RATE_LIMIT = 1_000;

/**
 * Yields a successful request to every endpoint, every request that may be repeated, and a request for every error. Each is
 * prepared just before it is yielded, so send it before you take the next.
 */
export async function* requestEachKind(sql: Sql, baseUrl: string, tokens: AccessTokens): Requests {
  const caller = await makeCaller(sql, baseUrl, tokens);
  yield* requestEndpoints(caller);
  yield* requestReplays(caller);
  yield* requestProposalLinks(caller);
  yield* requestErrorsOfEndpoints(caller);
  yield* requestErrorsOfBodies(caller);
  yield* requestLargeBodies(caller);
  yield* requestErrorsOfKeys(caller);
}

/** The credentials at each gate: a key or a session in the header, or a token in the path. */
const CREDENTIALS: Record<
  GateName,
  (
    caller: Caller,
  ) => Promise<{ key?: string; headers?: Record<string, string>; token?: string; email?: string }>
> = {
  key: ({ key }) => Promise.resolve({ key }),
  // Another admin for each, because some requests end what the next one needs.
  session: async ({ sql, tokens, workspaceId }) => {
    const { session, email } = await signInAs(sql, tokens, await makeMember(sql, workspaceId, "admin"));
    return { headers: { Authorization: `Bearer ${session}` }, email };
  },
  link: async (caller) => ({ token: (await makeLink(caller)).split("/").at(-1)! }),
  none: () => Promise.resolve({}),
};

async function* requestEndpoints(caller: Caller): Requests {
  const { samples } = caller;
  for (const { resource, route, title } of endpoints) {
    const { token, email, ...credentials } = await CREDENTIALS[resource.gate](caller);
    // New ones for each, because some requests end what the next one needs.
    if (resource.gate === "session" || resource.name === WEBHOOKS) {
      Object.assign(samples.records, await makeAppSamples(caller.sql, caller.workspaceId, email));
      samples.records[WEBHOOKS] = samples.records["app-v1-webhooks"]!;
      // The limit of invitations would count these members.
      await caller.sql`
        delete from crm.audit_log where workspace_id = ${caller.workspaceId} and action = 'member_invited'`;
    }
    const delivery = samples.records["app-v1-deliveries"];
    // Other examples name the contact, so another one is erased.
    const record = samples.records[route.path.endsWith("/erase") ? ERASED : resource.name];
    const path = pathOf(resource.name, route.path, token ?? record, delivery) +
      neededQuery(route.endpoint, samples);
    const body = bodyOf(route.method, resource.name, route.path, samples);
    yield request("endpoint", title, route.method, path, route.endpoint.status, { ...credentials, body });
  }
}

async function* requestReplays({ key, samples }: Caller): Requests {
  const lead = { key, body: { first_name: "Ana", external_id: "again" } };
  yield request("endpoint", "a lead with external_id", "POST", "/api-v1-leads", 201, lead);
  yield request("replay", "the same lead again", "POST", "/api-v1-leads", 200, lead);
  for (const { resource, route, title } of keyEndpoints) {
    if (!route.endpoint.idempotent) continue;
    const path = pathOf(resource.name, route.path) + neededQuery(route.endpoint, samples);
    const body = bodyOf(route.method, resource.name, route.path, samples);
    const { status } = route.endpoint;
    const sent = { key, body, headers: { "Idempotency-Key": title } };
    const other = { ...sent, body: { ...body, custom_fields: { other: true } } };
    yield request("endpoint", `${title} with Idempotency-Key`, "POST", path, status, sent);
    yield request("replay", `${title} with the same key and body`, "POST", path, 200, sent);
    yield request("error", `${title} with the same key, another body`, "POST", path, 422, other);
  }
  const win = `${pathOf("api-v1-deals", "/:id", samples.deal_id)}/win`;
  yield request("replay", "winning a deal that is closed", "POST", win, 200, { key, body: {} });
}

async function* requestProposalLinks(caller: Caller): Requests {
  const link = await makeLink(caller);
  const wrong = { body: { reason: 1 } };
  yield request("error", "a rejection with a wrong reason", "POST", `${link}/reject`, 422, wrong);
  yield request("error", "a method that the link does not have", "PUT", link, 405);
  yield request("endpoint", "its acceptance", "POST", `${link}/accept`, 200);
  yield request("replay", "its acceptance again", "POST", `${link}/accept`, 200);
  yield request("error", "its rejection afterwards", "POST", `${link}/reject`, 409);
  yield request("error", "an unknown token", "GET", `/proposals/${"a".repeat(43)}`, 404);
  yield request("malformed", "an invalid token", "GET", "/proposals/a", 404);
}

async function* requestErrorsOfEndpoints({ sql, workspaceId, key }: Caller): Requests {
  const powerless = await createKey(sql, { workspaceId, name: "Bench", scopes: ["nothing:read"] });
  for (const { resource, route: { method, path: pattern, endpoint }, title } of keyEndpoints) {
    const path = pathOf(resource.name, pattern, UNKNOWN_ID);
    const error = (why: string, method: string, path: string, status: number, by = key) =>
      request("error", `${title}, ${why}`, method, path, status, { key: by, body: endpoint.body && {} });
    if (endpoint.scope) yield error("without its scope", method, path, 403, powerless.key);
    if (takesQuery(endpoint)) yield error("with an unknown parameter", method, `${path}?unknown=1`, 422);
    yield error("with another method", "PUT", path, 405);
    if (path.includes(UNKNOWN_ID)) {
      yield error("of a malformed id", method, path.replace(UNKNOWN_ID, "x"), 404);
      if (pattern.includes(":delivery_id")) {
        yield error(
          "of a malformed delivery_id",
          method,
          pathOf(resource.name, pattern, UNKNOWN_ID, "x"),
          404,
        );
      }
    }
  }
}

async function* requestErrorsOfBodies({ key }: Caller): Requests {
  const post = (why: string, status: number, body?: unknown, headers?: Record<string, string>) =>
    request("error", why, "POST", CONTACTS, status, { key, body, ...(headers && { headers }) });
  yield post("no body", 400);
  yield post("a body that is not an object", 400, []);
  yield post("an empty body", 422, {});
  yield post("a body over 256 KiB", 413, { name: "A".repeat(256 * 1024) });
  yield post("an unknown owner", 422, { name: "A", owner_id: UNKNOWN_ID });
  const tooLong = { "Idempotency-Key": "a".repeat(256) };
  yield post("an Idempotency-Key that is too long", 400, { name: "A" }, tooLong);
  yield request("error", "an unknown path", "GET", `${CONTACTS}/a/b`, 404, { key });
  yield request("error", "an unknown record", "GET", `${CONTACTS}/${UNKNOWN_ID}`, 404, { key });
}

/** A key's first body over 16 KiB in an isolate takes a second statement, unless the first one refuses the key. */
async function* requestLargeBodies({ sql, workspaceId }: Caller): Requests {
  const { key } = await createKey(sql, { workspaceId, name: "Bench", scopes: [...SCOPES] });
  const large = { name: "A", ignored: "b".repeat(100_000) };
  const post = (kind: Kind, why: string, status: number, by: string) =>
    request(kind, why, "POST", CONTACTS, status, { key: by, body: large });
  yield post("first large body", "the first large body of a key", 201, key);
  yield post("endpoint", "the second large body of a key", 201, key);
  yield post("error", "a large body with an unknown key", 401, generateKey());
}

/** The last ones suspend the workspace, so nothing may follow them. */
async function* requestErrorsOfKeys({ sql, workspaceId, key }: Caller): Requests {
  const get = (why: string, status: number, key?: string, kind: Kind = "error") =>
    request(kind, why, "GET", CONTACTS, status, key === undefined ? {} : { key });
  yield get("no key", 401, undefined, "malformed");
  yield get("an invalid key", 401, "x", "malformed");
  const key53 = generateKey();
  yield get("a key that was cut off", 401, key53.slice(0, -1), "malformed");
  yield get(
    "a key with a wrong checksum",
    401,
    key53.replace(/.$/, (last) => last === "0" ? "1" : "0"),
    "malformed",
  );
  yield get("an unknown key", 401, generateKey());
  const revoked = await createKey(sql, { workspaceId, name: "Bench", scopes: [...SCOPES] });
  await sql`update crm.api_keys set revoked_at = now() where id = ${revoked.id}`;
  yield get("a revoked key", 401, revoked.key);
  await updateWorkspace(sql, workspaceId, { rateLimit: 1 });
  yield get("a call over the rate limit", 429, key);
  await updateWorkspace(sql, workspaceId, { publicApi: false });
  yield get("a plan without the API", 403, key);
  await updateWorkspace(sql, workspaceId, { suspended: true });
  yield get("a suspended workspace", 403, key);
}

/** Creates a proposal; returns the path of its public link. */
async function makeLink({ sql, samples }: Caller): Promise<string> {
  const [proposal] = await sql<[{ id: string }]>`
    insert into crm.proposals (workspace_id, deal_id, title)
    select workspace_id, id, 'Plano anual' from crm.deals where id = ${samples.deal_id} returning id`;
  const { url } = await sendProposal(sql, proposal.id, "https://crm.example");
  return `/proposals/${new URL(url).hash.slice(1)}`;
}

async function makeCaller(sql: Sql, baseUrl: string, tokens: AccessTokens): Promise<Caller> {
  const { id: workspaceId } = await createWorkspace(sql, { name: "Bench" });
  await updateWorkspace(sql, workspaceId, { rateLimit: RATE_LIMIT });
  const { key } = await createKey(sql, { workspaceId, name: "Bench", scopes: [...SCOPES] });
  const stages = await sql<{ id: string }[]>`
    select id from crm.stages where workspace_id = ${workspaceId} order by position`;
  const create = async (path: string, body: unknown) =>
    JSON.parse(await sendOnce(baseUrl, request("endpoint", path, "POST", path, 201, { key, body }), 0));
  const samples = await makeSamples(create, stages, "https://example.com/hooks");
  samples.records["api-v1-operations"] = await makeOperation(sql, workspaceId);
  samples.records[ERASED] = (await create("/api-v1-contacts", { name: "A apagar" })).id;
  // A merge needs a second record of the same kind.
  for (const { resource: { name }, route: { path } } of keyEndpoints) {
    if (path !== "/:id/merge") continue;
    samples.records[mergedInto(name)] = (await create(`/${name}`, { name: "Outro registro" })).id;
  }
  // The dispatcher sends nothing to an address that is not public.
  await sql`update crm.webhook_subscriptions set target_url = ${NOWHERE} where workspace_id = ${workspaceId}`;
  return { sql, baseUrl, workspaceId, key, tokens, samples };
}

function request(
  kind: Kind,
  title: string,
  method: string,
  path: string,
  expect: number,
  { key, body, headers = {} }: { key?: string; body?: unknown; headers?: Record<string, string> } = {},
): KindRequest {
  return {
    kind,
    title,
    method,
    path,
    expect,
    headers: key ? { "X-API-Key": key, ...headers } : headers,
    body,
  };
}

/** The example of the endpoint's body, with the ids of the samples. */
function bodyOf(method: string, name: string, path: string, samples: Samples) {
  const example = exampleBody(method, name, path);
  const body = example && withSampleIds(example, samples);
  return body?.["merge_id"] ? { ...body, merge_id: samples.records[mergedInto(name)] } : body;
}

const ERASED = "erased";

/** The name of the sample that is merged into that of a resource. */
function mergedInto(name: string): string {
  return `merged into ${name}`;
}
