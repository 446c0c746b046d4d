import type { Account } from "./accounts.ts";
import type { PlannedRequest } from "./load.ts";

/** Makes the request of one key. */
export type Make = (account: Account, key: string, contactId: string) => PlannedRequest;

/** One request with each key of every account, the accounts in turn. */
export function requestsOf(accounts: Account[], make: Make): PlannedRequest[] {
  const keysEach = accounts[0]!.keys.length;
  return Array.from(
    { length: keysEach },
    (_, index) =>
      accounts.map((account, turn) =>
        make(account, account.keys[index]!, account.contactIds[(index + turn) % account.contactIds.length]!)
      ),
  ).flat();
}

const PERSON = { email: "bia.{n}@exemplo.com.br", phone: "+55 11 {n}" };
const CONTACT = { name: "Bia Lima", ...PERSON };
const LEAD = { ...PERSON, company_name: "Lima {n} Ltda", value: 1500, source: "site" };

/** Requests of the API. */
export const api = {
  read: (_account, key, contactId) => get(`/api-v1-contacts/${contactId}`, key),
  list: (_account, key) => get("/api-v1-contacts", key),
  create: (_account, key) => post("/api-v1-contacts", CONTACT, key, { "Idempotency-Key": "bench-{n}" }),
  lead: (_account, key) =>
    post("/api-v1-leads", { first_name: "Bia", last_name: "Lima", external_id: "{n}", ...LEAD }, key),
} satisfies Record<string, Make>;

/** The same of the bare functions, each under the name of its driver. */
export const bare = {
  read: ({ workspaceId }, _key, contactId) => get(`/bare/${workspaceId}/contacts/${contactId}`),
  readByPg: ({ workspaceId }, _key, contactId) => get(`/bare-pg/${workspaceId}/contacts/${contactId}`),
  list: ({ workspaceId }) => get(`/bare/${workspaceId}/contacts`),
  listAsText: ({ workspaceId }) => get(`/bare/${workspaceId}/contacts-as-text`),
  create: ({ workspaceId, memberId }) =>
    post(`/bare/${workspaceId}/contacts`, { ...CONTACT, owner_id: memberId }),
  lead: ({ workspaceId, memberId, pipelineId, stageId }) =>
    post(`/bare/${workspaceId}/leads`, {
      name: "Bia Lima",
      ...LEAD,
      owner_id: memberId,
      pipeline_id: pipelineId,
      stage_id: stageId,
    }),
} satisfies Record<string, Make>;

function get(path: string, key?: string): PlannedRequest {
  return { method: "GET", path, headers: withKey(key), expect: 200 };
}

function post(
  path: string,
  body: unknown,
  key?: string,
  headers: Record<string, string> = {},
): PlannedRequest {
  return { method: "POST", path, headers: { ...withKey(key), ...headers }, body, expect: 201 };
}

function withKey(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { "X-API-Key": key };
}
