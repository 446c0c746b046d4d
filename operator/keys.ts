import type { ISql } from "postgres";
import { hashCredential } from "../supabase/functions/_shared/contract/credentials.ts";
import { generateKey } from "./generate_key.ts";
import { toMoment } from "./moments.ts";
import { operate } from "./operator.ts";

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
  /** ISO 8601 in any form that the API takes, in the future. Absent: the key never expires. */
  expiresAt?: string | undefined;
}

export interface CreatedKey {
  id: string;
  key: string;
  /** With an inactive creator the key writes no notes. */
  creatorIsActive: boolean;
}

/**
 * Creates a key. Only this result has its value, because the database stores only its hash (spec 5.5).
 * @throws OperatorError if the workspace or the member does not exist, no active admin can be the creator, or the key
 * would have expired already.
 */
export async function createKey(sql: ISql, input: NewKey): Promise<CreatedKey> {
  const key = generateKey();
  const { id, creator_is_active } = await operate(sql, "key_create", {
    workspace_id: input.workspaceId,
    member_id: input.memberId,
    name: input.name,
    scopes: input.scopes,
    expires_at: toMoment(input.expiresAt),
    prefix: key.slice(0, VISIBLE_PREFIX_LENGTH),
    hash: hashCredential(key),
  });
  return { id, key, creatorIsActive: creator_is_active };
}
