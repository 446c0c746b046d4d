import type { Sql } from "postgres";
import { createKey } from "../../run/operator/keys.ts";
import { createWorkspace } from "../../run/operator/workspaces.ts";
import { makeMember } from "./sessions.ts";

/** Nothing answers there, and the dispatcher sends nothing to it: the address is not public. */
const TARGET = "https://127.0.0.1:9443/hooks";

/**
 * Creates one record of each kind that the application's functions show.
 * @param email whose person gets an invitation to another workspace, and need not stay, as there is another admin
 * @returns the id of each, by the name of its function
 */
export async function makeAppSamples(
  sql: Sql,
  workspaceId: string,
  email?: string,
): Promise<Record<string, string>> {
  const { id: keyId } = await createKey(sql, { workspaceId, name: "Site", scopes: ["leads:write"] });
  const { memberId } = await makeMember(sql, workspaceId, "vendedor");
  const [sent] = await sql<[{ subscription_id: string; delivery_id: string }]>`
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
    )
    select s.id as subscription_id, d.id as delivery_id from subscription s, delivery d`;
  const [operation] = await sql<[{ id: string }]>`
    insert into crm.operations (workspace_id, kind, object_id, arguments, state, result, ended_at)
    select ${workspaceId}, 'contact_merge', w.id, jsonb_build_object('id', w.id, 'merge_id', w.id), 'done',
      '{"moved": {"activities": 0, "contacts": 0, "deals": 0, "merged": 0}}', now()
    from crm.workspaces w where w.id = ${workspaceId}
    returning id`;
  return {
    "api-v1-operations": operation.id,
    "app-v1-keys": keyId,
    "app-v1-members": memberId,
    "app-v1-webhooks": sent.subscription_id,
    "app-v1-deliveries": sent.delivery_id,
    ...(email !== undefined && { "app-v1-workspace": await makeInvitation(sql, workspaceId, email) }),
  };
}

async function makeInvitation(sql: Sql, workspaceId: string, email: string): Promise<string> {
  await makeMember(sql, workspaceId, "admin");
  const { id } = await createWorkspace(sql, { name: "Outra" });
  const { memberId } = await makeMember(sql, id, "vendedor", email);
  // As if an admin of that workspace had invited the person.
  await sql`update crm.members set invited_at = now() where id = ${memberId}`;
  return memberId;
}
