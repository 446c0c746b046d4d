import type { ISql } from "postgres";
import { generateKeySecret } from "../../supabase/functions/_shared/keys/generate_key.ts";
import { warnOfUnused } from "../../supabase/functions/_shared/keys/unused_scopes.ts";
import { findWorkspace, operate, toMoment } from "./operator.ts";
import type { OverlapSeconds } from "./verbs.ts";

export interface NewKey {
  workspaceId: string;
  /** The creator, who owns the key's records by default and writes its notes. Absent: the oldest active admin. */
  memberId?: string | undefined;
  /** 1 to 255 characters. */
  name: string;
  /** Well-formed scopes (spec 5.3). */
  scopes: string[];
  /** A moment in the future, as ISO 8601 in any form that the API accepts. Absent: the key never expires. */
  expiresAt?: string | undefined;
  /** The networks from which it may be used, at most 20. Absent or empty: everywhere. */
  networks?: string[] | undefined;
}

export interface CreatedKey {
  id: string;
  key: string;
  /** A key of an inactive creator cannot write notes. */
  creatorIsActive: boolean;
}

/**
 * Creates a key. Only this result contains the key, because the database stores only a hash (spec 5.5).
 * @throws OperatorError if the workspace or the member does not exist, there is no active admin to be the creator, or
 * `expiresAt` has passed.
 */
export async function createKey(sql: ISql, input: NewKey): Promise<CreatedKey> {
  const { value: key, stored } = generateKeySecret(input.workspaceId);
  const { id, creator } = await operate(sql, "key_create", {
    workspace_id: input.workspaceId,
    member_id: input.memberId,
    name: input.name,
    scopes: input.scopes,
    expires_at: toMoment(input.expiresAt),
    allowed_networks: input.networks,
    ...stored,
  });
  return { id, key, creatorIsActive: creator.is_active };
}

/**
 * Gives a key a new value. The current value works until the overlap ends. Only this result contains the new value.
 * @throws OperatorError if there is no such key, or it is revoked or has expired.
 */
export async function rotateKey(
  sql: ISql,
  id: string,
  overlapSeconds: OverlapSeconds,
): Promise<{ id: string; key: string; old_secret_expires_at: string | null }> {
  const workspaceId = await findWorkspace(sql, "key", id);
  const { value: key, stored } = generateKeySecret(workspaceId);
  const { old_secret_expires_at } = await operate(sql, "key_rotate", {
    workspace_id: workspaceId,
    id,
    ...stored,
    overlap_seconds: overlapSeconds,
  });
  return { id, key, old_secret_expires_at };
}

/** Warns about scopes that grant nothing, and suggests scopes that may have been meant. */
export function warningsOfScopes(scopes: readonly string[]): string[] {
  return warnOfUnused(scopes, "or", (scope, meant) => {
    const question = meant && `. Did you mean ${meant}?`;
    return `No endpoint requires "${scope}": it is stored and grants nothing${question}`;
  });
}
