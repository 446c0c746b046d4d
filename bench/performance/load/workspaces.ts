import type { Sql } from "postgres";
import { createKey } from "../../../run/operator/keys.ts";
import { operate } from "../../../run/operator/operator.ts";
import { SCOPES } from "../../../supabase/functions/_shared/contract/scopes.ts";

/** A workspace with keys, and with contacts that each have a company and a deal. */
export interface LoadWorkspace {
  id: string;
  memberId: string;
  keys: string[];
  contactIds: string[];
}

export interface Sizes {
  workspaces: number;
  keysEach: number;
  contactsEach: number;
}

/**
 * Makes workspaces. A load uses their keys in turn, each within its 120 calls a minute. If it used one key with a huge
 * limit, most of the time would be spent on reading that key's log of calls.
 */
export async function seedWorkspaces(
  sql: Sql,
  { workspaces, keysEach, contactsEach }: Sizes,
): Promise<LoadWorkspace[]> {
  const keys = new Map<string, string[]>();
  for (let made = 0; made < workspaces; made++) {
    const { id } = await operate(sql, "workspace_create", { name: "Bench" });
    const key = { workspaceId: id, name: "Bench", scopes: [...SCOPES] };
    const created = await Promise.all(Array.from({ length: keysEach }, () => createKey(sql, key)));
    keys.set(id, created.map(({ key }) => key));
  }
  const ids = [...keys.keys()];
  await insertContacts(sql, ids, contactsEach);
  await insertLeads(sql, ids);
  const rows = await sql<Omit<LoadWorkspace, "keys">[]>`
    select m.workspace_id as id, m.id as "memberId",
      array(select c.id from crm.contacts c where c.workspace_id = m.workspace_id) as "contactIds"
    from crm.members m where m.workspace_id = any (${ids})`;
  // Without this, plans made for the empty tables would scan the filled tables until autovacuum runs.
  await sql`vacuum analyze`;
  return rows.map((row) => ({ ...row, keys: keys.get(row.id)! }));
}

async function insertContacts(sql: Sql, workspaceIds: string[], each: number): Promise<void> {
  await sql`
    insert into crm.contacts (
      workspace_id, id, name, email, phone, whatsapp, job_title, owner_id, notes, custom_fields, created_at
    )
    select
      m.workspace_id, crm.uuid_v7(now() - n * interval '1 h'), 'Ana Souza ' || n,
      'ana.souza.' || n || '@exemplo.com.br', '+55 11 9' || lpad(n::text, 8, '0'),
      '+55 11 9' || lpad(n::text, 8, '0'), 'Diretora de compras', m.id,
      'Prefere ser chamada de manhã; pediu a proposta por e-mail.',
      jsonb_build_object('origem', 'feira', 'segmento', 'varejo', 'pontos', n), now() - n * interval '1 h'
    from crm.members m, generate_series(1, ${each}::int) n
    where m.workspace_id = any (${workspaceIds})`;
}

/** Inserts a company, a deal, a receipt and a remembered reply for each contact. */
async function insertLeads(sql: Sql, workspaceIds: string[]): Promise<void> {
  await sql`
    insert into crm.companies (workspace_id, name, owner_id, created_at)
    select c.workspace_id, 'Empresa de ' || c.name, c.owner_id, c.created_at
    from crm.contacts c where c.workspace_id = any (${workspaceIds})`;
  await sql`
    with deals as (
      insert into crm.deals (
        workspace_id, title, value, contact_id, owner_id, pipeline_id, stage_id, external_id, created_at
      )
      select c.workspace_id, c.name, 1500, c.id, c.owner_id, s.pipeline_id, s.id, c.email, c.created_at
      from crm.contacts c
      join crm.stages s on s.workspace_id = c.workspace_id and s.position = 1
      where c.workspace_id = any (${workspaceIds})
      returning workspace_id, id, contact_id, external_id
    )
    insert into crm.lead_receipts (workspace_id, external_id, deal_id, contact_id)
    select workspace_id, external_id, id, contact_id from deals`;
  await sql`
    insert into crm.idempotency_keys (workspace_id, key, request_hash, body)
    select workspace_id, id::text, ''::bytea, '{}' from crm.contacts
    where workspace_id = any (${workspaceIds})`;
}

/**
 * Gives every key 30 past calls, one every two seconds of the last minute (a quarter of its limit). A longer log of
 * calls makes each call slower, so every measurement starts with logs of the same length.
 */
export async function giveHistory(sql: Sql): Promise<void> {
  await sql`
    insert into crm.rate_limits (key_id, hits)
    select k.id, array(select now() - n * interval '2 s' from generate_series(29, 0, -1) n) from crm.api_keys k
    on conflict (key_id) do update set hits = excluded.hits`;
  await sql`vacuum crm.rate_limits`;
}
