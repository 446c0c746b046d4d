import type { ISql } from "postgres";
import { hashCredential } from "../supabase/functions/_shared/contract/credentials.ts";
import { generateKey } from "./generate_key.ts";
import { OperationError, unknownId } from "./operation_error.ts";
import { requireWorkspace } from "./require_workspace.ts";

/** Characters of a key that stay visible, by which a person recognises it. */
const VISIBLE_PREFIX_LENGTH = 12;

export interface NewKey {
  workspaceId: string;
  /** The creator: default owner of what the key creates, author of its notes. Absent: the oldest active admin. */
  memberId?: string | undefined;
  /** 1 to 255 characters. */
  name: string;
  /** Well-formed (spec 5.3). */
  scopes: string[];
  /** ISO 8601; never where absent. */
  expiresAt?: string | undefined;
}

export interface Key {
  id: string;
  name: string;
  prefix: string;
  scopes: string[];
  creator_id: string;
  creator: string;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  /** Forgotten when the database crashes: it is the last call that the rate limit counted. */
  last_used_at: Date | null;
}

/**
 * Makes a key. Its value is in this answer and nowhere else: only its hash is kept (spec 5.5).
 * @throws OperationError where there is no such workspace or member of it, or no active admin to be the creator.
 */
export async function createKey(sql: ISql, input: NewKey): Promise<{ id: string; key: string }> {
  const { workspaceId, memberId, name, scopes, expiresAt } = input;
  await requireWorkspace(sql, workspaceId);
  const key = generateKey();
  const creator = memberId === undefined ? sql`m.is_active and m.role = 'admin'` : sql`m.id = ${memberId}`;
  const [created] = await sql<{ id: string }[]>`
    insert into crm.api_keys (workspace_id, member_id, name, prefix, hash, scopes, expires_at)
    select
      m.workspace_id, m.id, ${name}::text, ${key.slice(0, VISIBLE_PREFIX_LENGTH)}::text,
      decode(${hashCredential(key)}, 'hex'),
      array(select jsonb_array_elements_text(${sql.json(scopes)}::jsonb)),
      ${expiresAt ?? null}::timestamptz
    from crm.members m
    where m.workspace_id = ${workspaceId} and ${creator}
    order by m.id
    limit 1
    returning id
  `;
  if (created) return { id: created.id, key };
  throw new OperationError(
    memberId === undefined
      ? "The workspace has no active admin to be the key's creator: name a member of it"
      : `No member of the workspace has the id "${memberId}"`,
  );
}

/**
 * The keys of a workspace, oldest first, revoked and expired ones included.
 * @throws OperationError where there is no such workspace.
 */
export async function listKeys(sql: ISql, workspaceId: string): Promise<Key[]> {
  await requireWorkspace(sql, workspaceId);
  return await sql<Key[]>`
    select
      k.id, k.name, k.prefix, to_jsonb(k.scopes) as scopes, m.id as creator_id, m.name as creator,
      k.created_at, k.expires_at, k.revoked_at, r.hits[cardinality(r.hits)] as last_used_at
    from crm.api_keys k
    join crm.members m on m.workspace_id = k.workspace_id and m.id = k.member_id
    left join crm.rate_limits r on r.key_id = k.id
    where k.workspace_id = ${workspaceId}
    order by k.id
  `;
}

/**
 * Ends a key for good, from its very next call on. One that is revoked already stays as it is.
 * @throws OperationError where there is no such key.
 */
export async function revokeKey(sql: ISql, id: string): Promise<{ id: string; revoked_at: Date }> {
  const [key] = await sql<{ id: string; revoked_at: Date }[]>`
    update crm.api_keys set revoked_at = coalesce(revoked_at, now())
    where id = ${id}
    returning id, revoked_at
  `;
  if (!key) throw unknownId("key", id);
  return key;
}
