import type { GateName } from "../../supabase/functions/_shared/contract/declaration.ts";
import type { Resource, Route } from "../../supabase/functions/_shared/contract/endpoint.ts";
import type { ErrorCode } from "../../supabase/functions/_shared/contract/errors.ts";
import { makeWorkspace, makeWorkspaceWithDeal } from "./fixtures.ts";
import { makeProposal, tokenOf } from "./proposals.ts";
import { UNKNOWN_ID } from "./record_fixtures.ts";
import { sql } from "./scenario.ts";
import { signIn } from "./sessions.ts";

/** The credentials of a call: a key or a session in the header, or a token in the path. */
export interface Credentials {
  key: string | null;
  session: string | null;
  token: string;
}

const NONE: Credentials = { key: null, session: null, token: "" };

/** The error of a call without credentials; null if the gate needs none. */
export const WITHOUT_CREDENTIALS: Record<GateName, ErrorCode | null> = {
  key: "missing_api_key",
  session: "missing_session",
  link: "not_found",
  none: null,
};

type Rights = "all" | "none";

export async function makeCredentials(gate: GateName, rights: Rights = "all"): Promise<Credentials> {
  if (gate === "none") return NONE;
  if (gate === "link") {
    const { deal } = await makeWorkspaceWithDeal(sql);
    return { ...NONE, token: tokenOf((await makeProposal(sql, deal.id)).link) };
  }
  const { id, key } = await makeWorkspace(sql, rights === "none" ? { scopes: ["nothing:read"] } : {});
  if (gate === "key") return { ...NONE, key };
  const { session } = await signIn(sql, id, rights === "none" ? "vendedor" : "admin");
  return { ...NONE, session };
}

const made = new Map<string, Promise<Credentials>>();

/** Credentials for the calls of a resource. They are made once in a test process, so these calls share a workspace. */
export function credentialsFor({ name, gate }: Resource, rights: Rights = "all"): Promise<Credentials> {
  const credentials = made.get(`${name} ${rights}`) ?? makeCredentials(gate, rights);
  made.set(`${name} ${rights}`, credentials);
  return credentials;
}

/** Builds the address of a route, `/api-v1-deals/<id>/win`. An id that is not given becomes UNKNOWN_ID. */
export function addressOf(
  resource: string,
  path: Route["path"],
  given: { id?: string; delivery_id?: string; contact_id?: string; token?: string } = {},
): string {
  const values: Record<string, string> = { token: "", ...given };
  const filled = path.replaceAll(/:(\w+)/g, (_, name) => values[name] ?? UNKNOWN_ID);
  return `/${resource}${filled.replace(/\/$/, "")}`;
}
