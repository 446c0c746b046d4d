import assert from "node:assert/strict";
import type { Sql } from "postgres";
import type { z } from "zod";
import { createKey } from "../../run/operator/keys.ts";
import { operate } from "../../run/operator/operator.ts";
import type { Endpoint } from "../../supabase/functions/_shared/contract/endpoint.ts";
import { exampleBody } from "../../tools/openapi/example_body.ts";
import { keyEndpoints } from "../../tools/resources.ts";
import { client } from "./client.ts";
import { openMailbox } from "./mailbox.ts";
import { makeMember } from "./sessions.ts";

export interface Samples {
  deal_id: string;
  stage_id: string;
  contact_id: string;
  company_id: string;
  /** A contact without a deal. */
  other_contact_id: string;
  from_owner_id: string;
  to_owner_id: string;
  /** The id of a record, by the name of its function. */
  records: Record<string, string>;
}

/** The dispatcher sends nothing to this address, because it is not public. */
const TARGET = "https://127.0.0.1:9443/hooks";

/** The key in `records` for a custom field's definition, which has no function of its own. */
const DEFINITION = "custom-fields";

/** The key in `records` for a proposal, which has no function of its own. */
const PROPOSAL = "proposals";

/**
 * The id for an endpoint's path. If the path begins with `custom-fields` or `proposals`, it is the id of a custom
 * field's definition or of a proposal. Otherwise it is the id of the resource's own record.
 */
export function recordIdFor(records: Samples["records"], resource: string, path: string): string | undefined {
  const below = [DEFINITION, PROPOSAL].find((kind) => path.startsWith(`/${kind}/`));
  return records[below ?? resource];
}

/**
 * Creates a record of each kind that the API can create, from the examples of the OpenAPI document. Validates each
 * reply by its schema.
 * @param stages of the default pipeline
 */
export async function makeSamples(key: string, stages: readonly { id: string }[]): Promise<Samples> {
  const create = async (path: string, body: unknown) => {
    const reply = await client(key).post(path, body);
    assert.equal(reply.status, 201, reply.text);
    return reply.body;
  };
  const target_url = openMailbox().url;
  const { lead } = await create("/api-v1-leads", { first_name: "Ana", company_name: "Padaria Sol" });
  const { deal_id, contact_id, company_id } = lead;
  const records: Record<string, string> = {
    "api-v1-leads": deal_id,
    "api-v1-deals": deal_id,
    "app-v1-funnel": deal_id,
    "api-v1-contacts": contact_id,
    "api-v1-companies": company_id,
  };
  const { id: other_contact_id } = await create("/api-v1-contacts", { name: "Carlos Prado" });
  const { body: { member: { id: to_owner_id } } } = await client(key).get("/api-v1-me");
  const owners = { from_owner_id: to_owner_id, to_owner_id };
  const stage_id = stages.at(-1)!.id;
  const samples = { deal_id, contact_id, company_id, other_contact_id, stage_id, ...owners, records };
  for (const { resource: { name }, route: { method, path } } of keyEndpoints) {
    if (method !== "POST" || path !== "/" || name in records) continue;
    const body = withSampleIds(exampleBody(method, name, path)!, samples);
    records[name] = (await create(`/${name}`, "target_url" in body ? { ...body, target_url } : body)).id;
  }
  delete records["api-v1-leads"];
  const field = { object_type: "deal", key: "amostra", type: "choice", choices: ["a"] };
  records[DEFINITION] = (await create("/api-v1-workspace/custom-fields", field)).id;
  return samples;
}

/** Stores a finished erasure as an operation and returns its id: an erasure of few records creates no operation. */
export async function makeOperation(sql: Sql, workspaceId: string): Promise<string> {
  const [{ id }] = await sql<[{ id: string }]>`
    insert into crm.operations (workspace_id, kind, object_id, arguments, state, ended_at)
    values (${workspaceId}, 'contact_erasure', ${workspaceId},
      jsonb_build_object('id', ${workspaceId}::text), 'done', now()) returning id`;
  return id;
}

/**
 * Creates one record of each kind that the application's functions show, and a merge that has ended.
 * @param email of a person whom another workspace invites. `workspaceId` gets a second admin, so that one may leave
 * @returns the id of each, by the name of its function
 */
export async function makeAppSamples(
  sql: Sql,
  workspaceId: string,
  email?: string,
): Promise<Record<string, string>> {
  const { id: keyId } = await createKey(sql, { workspaceId, name: "Site", scopes: ["leads:write"] });
  const { memberId } = await makeMember(sql, workspaceId, "vendedor");
  const [made] = await sql<[Record<string, string>]>`
    with subscription as (
      insert into crm.webhook_subscriptions (workspace_id, event_types, target_url)
      values (${workspaceId}, '{deal.won}', ${TARGET})
      returning workspace_id, id
    ), secret as (
      insert into crm.webhook_secrets (workspace_id, subscription_id, secret) select workspace_id, id, '' from subscription
    ), event as (
      insert into crm.events (workspace_id, event, object_id, facts, is_test)
      values (${workspaceId}, 'deal.won', gen_random_uuid(), '{}', true)
      returning id
    ), delivery as (
      insert into crm.webhook_deliveries (workspace_id, id, event_id, subscription_id, state, attempts)
      select s.workspace_id, crm.delivery_id(e.id, s.id), e.id, s.id, 'delivered', 1 from subscription s, event e
      returning id
    ), operation as (
      insert into crm.operations (workspace_id, kind, object_id, arguments, state, result, ended_at)
      values (${workspaceId}, 'contact_merge', ${workspaceId},
        jsonb_build_object('id', ${workspaceId}::text, 'merge_id', ${workspaceId}::text), 'done',
        '{"moved": {"activities": 0, "contacts": 0, "deals": 0, "deal_contacts": 0, "merged": 0}}', now())
      returning id
    ), app as (
      insert into crm.api_keys (workspace_id, member_id, name, prefix, scopes, client_id, user_id)
      values (${workspaceId}, ${memberId}, 'Claude', '', '{deals:read}', gen_random_uuid(), gen_random_uuid())
      returning id
    ), proposal as (
      insert into crm.proposals (workspace_id, deal_id, title)
      select workspace_id, id, 'Plano anual' from crm.deals where workspace_id = ${workspaceId} limit 1
      returning id
    )
    select
      s.id as "app-v1-webhooks", d.id as "app-v1-deliveries", o.id as "api-v1-operations", a.id as "app-v1-apps",
      p.id as ${sql(PROPOSAL)}
    from subscription s, delivery d, operation o, app a, proposal p`;
  return {
    ...made,
    "app-v1-keys": keyId,
    "app-v1-members": memberId,
    ...(email !== undefined && { "app-v1-workspace": await makeInvitation(sql, workspaceId, email) }),
  };
}

async function makeInvitation(sql: Sql, workspaceId: string, email: string): Promise<string> {
  await makeMember(sql, workspaceId, "admin");
  const { id } = await operate(sql, "workspace_create", { name: "Outra" });
  const { memberId } = await makeMember(sql, id, "vendedor", email);
  // Makes it look as if an admin of the other workspace had invited the person.
  await sql`update crm.members set invited_at = now() where id = ${memberId}`;
  return memberId;
}

/**
 * Replaces the ids in an example with those of the samples, and external_id, which is unique, with a new one.
 * @param path of the endpoint
 */
export function withSampleIds(
  example: Record<string, unknown>,
  samples: Samples,
  path = "/",
): Record<string, unknown> {
  const { records: _, other_contact_id, ...known } = samples;
  const ids: Record<string, string> = { ...known, external_id: crypto.randomUUID() };
  // The deal already has the first contact.
  if (path === "/:id/contacts") ids["contact_id"] = other_contact_id;
  if (path === "/custom-fields") ids["key"] = crypto.randomUUID();
  const replace = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replace);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [name, ids[name] ?? replace(part)]),
    );
  };
  return replace(example) as Record<string, unknown>;
}

/**
 * The query that a call requires: deal_id for a list of notes, match_by for an upsert, q for a search, by for
 * duplicates.
 */
export function neededQuery(
  { query }: Pick<Endpoint, "query">,
  { deal_id }: Pick<Samples, "deal_id">,
): string {
  const by = (query.shape["by"] as z.ZodEnum | undefined)?.options[0];
  const needed = { deal_id, match_by: "external_id", q: "padaria", ...(by && { by: String(by) }) };
  const isNeeded = (name: string) =>
    name === "deal_id" ? !query.safeParse({}).success : !query.shape[name]!.isOptional();
  const sent = Object.entries(needed).filter(([name]) => name in query.shape && isNeeded(name));
  return sent.length === 0 ? "" : `?${new URLSearchParams(sent)}`;
}
