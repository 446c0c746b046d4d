import type { ISql } from "postgres";
import { generateKeySecret } from "../../supabase/functions/_shared/keys/generate_key.ts";
import { toMoment } from "./moments.ts";
import { findWorkspace, operate } from "./operator.ts";
import type { OverlapSeconds } from "./verbs.ts";

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
  const { value: key, stored } = generateKeySecret();
  const { id, creator } = await operate(sql, "key_create", {
    workspace_id: input.workspaceId,
    member_id: input.memberId,
    name: input.name,
    scopes: input.scopes,
    expires_at: toMoment(input.expiresAt),
    ...stored,
  });
  return { id, key, creatorIsActive: creator.is_active };
}

/**
 * Gives a key a new secret; the present one works for the overlap. Only this result has the new value.
 * @throws OperatorError if there is no such key, or it is revoked or has expired.
 */
export async function rotateKey(
  sql: ISql,
  id: string,
  overlapSeconds: OverlapSeconds,
): Promise<{ id: string; key: string; oldSecretExpiresAt: string | null }> {
  const { value: key, stored } = generateKeySecret();
  const rotated = await operate(sql, "key_rotate", {
    workspace_id: await findWorkspace(sql, "key", id),
    id,
    ...stored,
    overlap_seconds: overlapSeconds,
  });
  return { id: rotated.id, key, oldSecretExpiresAt: rotated.old_secret_expires_at };
}
