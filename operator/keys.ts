import type { ISql } from "postgres";
import { hashCredential } from "../supabase/functions/_shared/contract/credentials.ts";
import { generateKey } from "./generate_key.ts";
import { findWorkspace, operate } from "./operator.ts";
import type { Result } from "./verbs.ts";

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

/**
 * Makes a key. Its value is in this answer and nowhere else: the database gets only its hash (spec 5.5).
 * @throws OperatorError where there is no such workspace or member of it, or no active admin to be the creator.
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
 * Ends a key for good, from its very next call on. One that is revoked already stays as it is.
 * @throws OperatorError where there is no such key.
 */
export async function revokeKey(sql: ISql, id: string): Promise<Result<"key_revoke">> {
  return await operate(sql, "key_revoke", { workspace_id: await findWorkspace(sql, "key", id), id });
}
