import type { ISql } from "postgres";
import { hashCredential } from "../supabase/functions/_shared/contract/credentials.ts";
import { generateKey } from "./generate_key.ts";
import { findWorkspace, operate } from "./operator.ts";
import type { Result } from "./verbs.ts";

/** The first characters of a key, which are stored in plain text so that a person can recognise it. */
const VISIBLE_PREFIX_LENGTH = 12;

export interface NewKey {
  workspaceId: string;
  /** The creator: default owner of what the key creates, and author of its notes. Absent: the oldest active admin. */
  memberId?: string | undefined;
  /** 1 to 255 characters. */
  name: string;
  /** Well-formed scopes (spec 5.3). */
  scopes: string[];
  /** ISO 8601. Absent: the key never expires. */
  expiresAt?: string | undefined;
}

/**
 * Creates a key. Only this result has its value, because the database stores only its hash (spec 5.5).
 * @throws OperatorError if the workspace or the member does not exist, or no active admin can be the creator.
 */
export async function createKey(sql: ISql, input: NewKey): Promise<{ id: string; key: string }> {
  const key = generateKey();
  const { id } = await operate(sql, "key_create", {
    workspace_id: input.workspaceId,
    member_id: input.memberId,
    name: input.name,
    scopes: input.scopes,
    expires_at: input.expiresAt,
    prefix: key.slice(0, VISIBLE_PREFIX_LENGTH),
    hash: hashCredential(key),
  });
  return { id, key };
}

/**
 * Revokes a key for good, from its next call on. A key that is revoked already does not change.
 * @throws OperatorError if there is no such key.
 */
export async function revokeKey(sql: ISql, id: string): Promise<Result<"key_revoke">> {
  return await operate(sql, "key_revoke", { workspace_id: await findWorkspace(sql, "key", id), id });
}
