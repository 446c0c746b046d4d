import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import type { PlannedRequest } from "./template.ts";
import type { LoadWorkspace } from "./workspaces.ts";

export type MakeRequest = (workspace: LoadWorkspace, key: string, contactId: string) => PlannedRequest;

/** Builds one request for each key; consecutive requests come from different workspaces. */
export function requestsOf(workspaces: LoadWorkspace[], make: MakeRequest): PlannedRequest[] {
  return workspaces[0]!.keys.flatMap((_, index) =>
    workspaces.map((workspace, turn) => {
      const { keys, contactIds } = workspace;
      return make(workspace, keys[index]!, contactIds[(index + turn) % contactIds.length]!);
    })
  );
}

const PERSON = { email: "bia.{n}@exemplo.com.br", phone: "+55 11 9{n8}" };
const CONTACT = { name: "Bia Lima", ...PERSON };
const LEAD = { ...PERSON, company_name: "Lima {n} Ltda", value: 1500, source: "site" };

export const api = {
  read: (_workspace, key, contactId) => get(`/api-v1-contacts/${contactId}`, key),
  list: (_workspace, key) => get("/api-v1-contacts", key),
  createRepeatable: (_workspace, key) =>
    post("/api-v1-contacts", CONTACT, key, { "Idempotency-Key": "bench-{n}" }),
  create: (_workspace, key) => post("/api-v1-contacts", CONTACT, key),
  lead: (_workspace, key) =>
    post("/api-v1-leads", { first_name: "Bia", last_name: "Lima", external_id: "{n}", ...LEAD }, key),
} satisfies Record<string, MakeRequest>;

export const hand = {
  read: (_workspace, key, contactId) => get(`/hand/contacts/${contactId}`, key),
  list: (_workspace, key) => get("/hand/contacts", key),
  create: (_workspace, key) => post("/hand/contacts", CONTACT, key),
  lead: (_workspace, key) => post("/hand/leads", { first_name: "Bia", last_name: "Lima", ...LEAD }, key),
} satisfies Record<string, MakeRequest>;

/** Signs the tokens of {@link rest}. */
export const REST_JWT_SECRET = "bench-secret-of-at-least-32-characters";

/** The operations as requests to hand/rest, in place of PostgREST, with a token in place of a key. */
export const rest = {
  read: (workspace, _key, contactId) => asMember(get(`/rest/contacts/${contactId}`), workspace),
  list: (workspace) => asMember(get("/rest/contacts"), workspace),
  create: (workspace) => {
    const contact = { ...CONTACT, workspace_id: workspace.id, owner_id: workspace.memberId };
    return asMember(post("/rest/contacts", contact), workspace);
  },
  lead: (workspace) => {
    const { company_name, ...person } = LEAD;
    const fields = { name: "Bia Lima", company_name, ...person };
    const named = Object.fromEntries(Object.entries(fields).map(([name, value]) => [`p_${name}`, value]));
    const lead = { p_workspace_id: workspace.id, p_member_id: workspace.memberId, ...named };
    return asMember(post("/rest/rpc/take_lead", lead), workspace);
  },
} satisfies Record<Operation, MakeRequest>;

function asMember(
  request: PlannedRequest,
  workspace: Pick<LoadWorkspace, "id" | "memberId">,
): PlannedRequest {
  return { ...request, headers: { ...request.headers, Authorization: `Bearer ${restToken(workspace)}` } };
}

/** A token of a member, as Supabase Auth would sign it. */
function restToken({ id, memberId }: Pick<LoadWorkspace, "id" | "memberId">): string {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = { sub: memberId, role: "authenticated", workspace_id: id };
  const content = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
  return `${content}.${createHmac("sha256", REST_JWT_SECRET).update(content).digest("base64url")}`;
}

export type Operation = keyof typeof hand;

export function get(path: string, key?: string): PlannedRequest {
  return { method: "GET", path, headers: withKey(key), expect: 200 };
}

export function post(
  path: string,
  body: unknown,
  key?: string,
  headers?: Record<string, string>,
): PlannedRequest {
  return { method: "POST", path, headers: { ...withKey(key), ...headers }, body, expect: 201 };
}

function withKey(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { "X-API-Key": key };
}
