import type { Sql } from "postgres";
import type { GateName } from "../../supabase/functions/_shared/contract/declaration.ts";
import type { Route } from "../../supabase/functions/_shared/contract/endpoint.ts";
import type { ErrorCode } from "../../supabase/functions/_shared/contract/errors.ts";
import { makeKey, makeWorkspace, makeWorkspaceWithDeal } from "./fixtures.ts";
import { makeProposal, tokenOf } from "./proposals.ts";
import { UNKNOWN_ID } from "./record_fixtures.ts";
import { signIn } from "./sessions.ts";

/** The credentials of a call: a key or a session in the header, or a token in the path. */
export interface Credentials {
  key: string | null;
  session: string | null;
  token: string;
}

const NONE: Credentials = { key: null, session: null, token: "" };

/**
 * For each gate: valid credentials, with all rights or with none, and the error for a call without credentials (null if
 * the gate needs none).
 */
export const GATE_CASES: Record<
  GateName,
  { admit(sql: Sql, rights?: "none"): Promise<Credentials>; unknown: ErrorCode | null }
> = {
  key: {
    async admit(sql, rights) {
      const { id } = await makeWorkspace(sql);
      const { key } = await makeKey(sql, id, rights === "none" ? { scopes: ["nothing:read"] } : {});
      return { ...NONE, key };
    },
    unknown: "missing_api_key",
  },
  session: {
    async admit(sql, rights) {
      const { id } = await makeWorkspace(sql);
      const { session } = await signIn(sql, id, rights === "none" ? "vendedor" : "admin");
      return { ...NONE, session };
    },
    unknown: "missing_session",
  },
  link: {
    async admit(sql) {
      const { deal } = await makeWorkspaceWithDeal(sql);
      const { link } = await makeProposal(sql, deal.id);
      return { ...NONE, token: tokenOf(link) };
    },
    unknown: "not_found",
  },
  none: { admit: () => Promise.resolve(NONE), unknown: null },
};

/** Builds the address of a route: `/api-v1-deals/<id>/win`. */
export function addressOf(
  resource: string,
  path: Route["path"],
  { id = UNKNOWN_ID, delivery_id = UNKNOWN_ID, contact_id = UNKNOWN_ID, token = "" }: {
    id?: string;
    delivery_id?: string;
    contact_id?: string;
    token?: string;
  } = {},
): string {
  const filled = path.replace(":id", id).replace(":delivery_id", delivery_id).replace(
    ":contact_id",
    contact_id,
  )
    .replace(":token", token);
  return `/${resource}${filled.replace(/\/$/, "")}`;
}
