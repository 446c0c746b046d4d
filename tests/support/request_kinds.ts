import type { Sql } from "postgres";
import { takesQuery } from "../../supabase/functions/_shared/contract/endpoint.ts";
import { generateKey } from "../../supabase/functions/_shared/keys/generate_key.ts";
import { operate } from "../../run/operator/operator.ts";
import { exampleBody, pathOf } from "../../tools/openapi/example_body.ts";
import { endpoints, keyEndpoints } from "../../tools/resources.ts";
import { client } from "./client.ts";
import { makeKey, makeWorkspace } from "./fixtures.ts";
import { makeProposal, tokenOf } from "./proposals.ts";
import { UNKNOWN_ID } from "./record_fixtures.ts";
import {
  makeAppSamples,
  makeOperation,
  makeSamples,
  neededQuery,
  recordIdFor,
  type Samples,
  withSampleIds,
} from "./samples.ts";
import { makeMember, signInAs } from "./sessions.ts";

interface KindRequest {
  title: string;
  /**
   * - `malformed`: its credential cannot be a key or a token, so it is answered without the database.
   * - `first large body`: its body is over 16 KiB, and this isolate has not admitted its key lately. The key is
   *   identified before the body is read.
   * - `first secret`: a member whom this isolate has not admitted lately creates a key or a link, without naming the
   *   workspace. The member is identified first, because the secret contains a part of the workspace's id (its slot).
   */
  kind: "endpoint" | "replay" | "error" | "malformed" | "first large body" | "first secret";
  method: string;
  path: string;
  headers: Record<string, string>;
  body: unknown;
  /** The status of its reply. */
  expect: number;
}

/** A workspace with one record of each kind, and the key that makes the requests. */
interface Caller {
  sql: Sql;
  workspaceId: string;
  key: string;
  samples: Samples;
}

type Requests = AsyncGenerator<KindRequest, void, undefined>;

const UNKNOWN_BELOW = { deliveryId: UNKNOWN_ID, contactId: UNKNOWN_ID };
const MALFORMED_BELOW = { delivery_id: { deliveryId: "x" }, contact_id: { contactId: "x" } };
const CONTACTS = "/api-v1-contacts";
const WEBHOOKS = "api-v1-webhooks";
const NEW_SECRETS = ["key_create", "key_rotate", "deal_proposal_create", "proposal_link"];
const ERASED = "erased";
/** The name of the sample that is merged into the sample of a resource. */
const mergedInto = (name: string) => `merged into ${name}`;

/**
 * Yields a successful request to every endpoint, a repetition of every request that may be repeated, and a request for
 * every error. Send each before you take the next, which is only then prepared.
 */
export async function* requestEachKind(sql: Sql): Requests {
  const caller = await makeCaller(sql);
  yield* requestEndpoints(caller);
  yield* requestReplays(caller);
  yield* requestProposalLinks(caller);
  yield* requestErrorsOfEndpoints(caller);
  yield* requestErrorsOfBodies(caller);
  yield* requestLargeBodies(caller);
  yield* requestErrorsOfKeys(caller);
}

async function makeCaller(sql: Sql): Promise<Caller> {
  const { id: workspaceId, key, stages } = await makeWorkspace(sql);
  const samples = await makeSamples(key, stages);
  const create = async (path: string, body: unknown) => (await client(key).post(path, body)).body.id;
  samples.records["api-v1-operations"] = await makeOperation(sql, workspaceId);
  samples.records[ERASED] = await create(CONTACTS, { name: "A apagar" });
  // A merge needs a second record of the same kind.
  for (const { resource: { name }, route: { path } } of keyEndpoints) {
    if (path === "/:id/merge") {
      samples.records[mergedInto(name)] = await create(`/${name}`, { name: "Outro registro" });
    }
  }
  return { sql, workspaceId, key, samples };
}

async function* requestEndpoints(caller: Caller): Requests {
  const { sql, workspaceId, key, samples } = caller;
  for (const { resource: { gate, name }, route, title } of endpoints) {
    let email: string | undefined;
    const sent: Sent = gate === "key" ? { key } : {};
    if (gate === "session") {
      // Each endpoint gets another admin, because some requests end a session or a membership.
      const admin = await signInAs(sql, await makeMember(sql, workspaceId, "admin"));
      sent.headers = { Authorization: `Bearer ${admin.session}` };
      email = admin.email;
    }
    // Each endpoint gets new samples, because some requests revoke or deactivate them.
    if (gate === "session" || name === WEBHOOKS) {
      Object.assign(samples.records, await makeAppSamples(sql, workspaceId, email));
      samples.records[WEBHOOKS] = samples.records["app-v1-webhooks"]!;
      // Deletes the invitations of these members from the audit log, where the limit of invitations counts them.
      await sql`delete from crm.audit_log where workspace_id = ${workspaceId} and action = 'member_invited'`;
    }
    // Erases a separate contact, because other examples refer to the sample contact.
    const record = route.path.endsWith("/erase")
      ? samples.records[ERASED]
      : recordIdFor(samples.records, name, route.path);
    const id = gate === "link" ? await makeToken(caller) : record;
    const below = {
      deliveryId: samples.records["app-v1-deliveries"]!,
      contactId: samples.other_contact_id,
    };
    const path = pathOf(name, route.path, id, below) + neededQuery(route.endpoint, samples);
    const body = bodyOf(route.method, name, route.path, samples);
    // Reopens the deal, which an earlier example won: losing a closed deal checks nothing.
    if (route.path === "/:id/lose") {
      await client(key).patch(`/api-v1-deals/${samples.deal_id}`, { status: "aberto" });
    }
    const kind = NEW_SECRETS.includes(route.endpoint.operation) ? "first secret" : "endpoint";
    yield request(kind, title, route.method, path, route.endpoint.status, { ...sent, body });
  }
}

async function* requestReplays({ key, samples }: Caller): Requests {
  const lead = { key, body: { first_name: "Ana", external_id: "again" } };
  yield request("endpoint", "a lead with external_id", "POST", "/api-v1-leads", 201, lead);
  yield request("replay", "the same lead again", "POST", "/api-v1-leads", 200, lead);
  for (const { resource: { name }, route, title } of keyEndpoints) {
    if (!route.endpoint.idempotent) continue;
    const path = pathOf(name, route.path) + neededQuery(route.endpoint, samples);
    const body = bodyOf(route.method, name, route.path, samples);
    const sent = { key, body, headers: { "Idempotency-Key": title } };
    const other = { ...sent, body: { ...body, custom_fields: { other: true } } };
    yield request("endpoint", `${title} with Idempotency-Key`, "POST", path, route.endpoint.status, sent);
    yield request("replay", `${title} with the same key and body`, "POST", path, 200, sent);
    yield request("error", `${title} with the same key, another body`, "POST", path, 422, other);
  }
  const win = `/api-v1-deals/${samples.deal_id}/win`;
  yield request("replay", "winning a deal that is closed", "POST", win, 200, { key, body: {} });
}

async function* requestProposalLinks(caller: Caller): Requests {
  const link = `/proposals/${await makeToken(caller)}`;
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
  const powerless = await makeKey(sql, workspaceId, { scopes: ["nothing:read"] });
  for (const { resource, route: { method, path: pattern, endpoint }, title } of keyEndpoints) {
    const path = pathOf(resource.name, pattern, UNKNOWN_ID, UNKNOWN_BELOW);
    const error = (why: string, method: string, path: string, status: number, by = key) =>
      request("error", `${title}, ${why}`, method, path, status, { key: by, body: endpoint.body && {} });
    if (endpoint.scope) yield error("without its scope", method, path, 403, powerless.key);
    if (takesQuery(endpoint) === true) {
      yield error("with an unknown parameter", method, `${path}?unknown=1`, 422);
    }
    yield error("with another method", "PUT", path, 405);
    if (pattern.includes(":id")) {
      yield error("of a malformed id", method, path.replace(UNKNOWN_ID, "x"), 404);
    }
    for (const [name, malformed] of Object.entries(MALFORMED_BELOW)) {
      if (!pattern.includes(`:${name}`)) continue;
      const address = pathOf(resource.name, pattern, UNKNOWN_ID, { ...UNKNOWN_BELOW, ...malformed });
      yield error(`of a malformed ${name}`, method, address, 404);
    }
  }
}

async function* requestErrorsOfBodies({ key }: Caller): Requests {
  const post = (why: string, status: number, body?: unknown, headers: Record<string, string> = {}) =>
    request("error", why, "POST", CONTACTS, status, { key, body, headers });
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

/**
 * Before an isolate reads a key's first body over 16 KiB, a separate statement identifies the key. The call takes two
 * statements, or one if the key is refused.
 */
async function* requestLargeBodies({ sql, workspaceId }: Caller): Requests {
  const { key } = await makeKey(sql, workspaceId);
  const body = { name: "A", ignored: "b".repeat(100_000) };
  const post = (kind: KindRequest["kind"], why: string, status: number, by: string) =>
    request(kind, why, "POST", CONTACTS, status, { key: by, body });
  yield post("first large body", "the first large body of a key", 201, key);
  yield post("endpoint", "the second large body of a key", 201, key);
  yield post("error", "a large body with an unknown key", 401, generateKey());
}

/** Must come last, because it ends with the workspace over its limit, without the API, and suspended. */
async function* requestErrorsOfKeys({ sql, workspaceId, key }: Caller): Requests {
  const get = (why: string, status: number, key?: string, kind: KindRequest["kind"] = "error") =>
    request(kind, why, "GET", CONTACTS, status, key === undefined ? {} : { key });
  const unknown = generateKey();
  const wrongChecksum = unknown.replace(/.$/, (last) => last === "0" ? "1" : "0");
  yield get("no key", 401, undefined, "malformed");
  yield get("an invalid key", 401, "x", "malformed");
  yield get("a key that was cut off", 401, unknown.slice(0, -1), "malformed");
  yield get("a key with a wrong checksum", 401, wrongChecksum, "malformed");
  yield get("an unknown key", 401, unknown);
  const revoked = await makeKey(sql, workspaceId);
  await sql`update crm.api_keys set revoked_at = now() where id = ${revoked.id}`;
  yield get("a revoked key", 401, revoked.key);
  await operate(sql, "workspace_update", { workspace_id: workspaceId, rate_limit_per_minute: 1 });
  yield get("a call over the rate limit", 429, key);
  await operate(sql, "workspace_update", { workspace_id: workspaceId, public_api: false });
  yield get("a plan without the API", 403, key);
  await operate(sql, "workspace_update", { workspace_id: workspaceId, suspended: true });
  yield get("a suspended workspace", 403, key);
}

/** Creates a proposal; returns the token of its public link. */
async function makeToken({ sql, samples: { deal_id } }: Caller): Promise<string> {
  return tokenOf((await makeProposal(sql, deal_id)).link);
}

type Sent = { key?: string; body?: unknown; headers?: Record<string, string> };

function request(
  kind: KindRequest["kind"],
  title: string,
  method: string,
  path: string,
  expect: number,
  { key, body, headers = {} }: Sent = {},
): KindRequest {
  const sent = key ? { "X-API-Key": key, ...headers } : headers;
  return { kind, title, method, path, expect, headers: sent, body };
}

/** The example of the endpoint's body, with the ids of the samples. */
function bodyOf(method: string, name: string, path: string, samples: Samples) {
  const example = exampleBody(method, name, path);
  const body = example && withSampleIds(example, samples, path);
  return body?.["merge_id"] ? { ...body, merge_id: samples.records[mergedInto(name)] } : body;
}
