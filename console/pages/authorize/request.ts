/** Loads an app's request, and the scopes that the person may grant in each of their workspaces. */
import { call, WORKSPACE_PATH } from "../../app/mod.ts";
import {
  type AppRequest,
  approvedClients,
  APPS_PATH,
  forgetApproval,
  readRequest,
} from "../../app/approvals.ts";
import { CHOICES_PATH } from "../../app/invitations.tsx";
import type { Choices, Grant, GrantList, Workspace } from "../../app/types.ts";

/** A workspace of the person, with the scopes that their role there allows them to grant. */
export interface Offer {
  id: string;
  name: string;
  scopes: string[];
}

export async function openRequest(id: string): Promise<{ request: AppRequest; offers: Offer[] }> {
  const { data: choices } = await call<Choices>("GET", CHOICES_PATH);
  const lists = await Promise.all(choices.map(async ({ id: workspace }) => ({
    workspace,
    ...await call<GrantList>("GET", APPS_PATH, { workspace }),
  })));
  await forgetStale(lists);
  return {
    // Read the request last: reading it lets an app in at once if the person's approval is still stored.
    request: await readRequest(id),
    offers: choices.map(({ id, name }, index) => ({ id, name, scopes: lists[index]!.grantable_scopes })),
  };
}

/**
 * Withdraws approvals of apps whose grant has ended: an admin or the operator revoked it, or the person left the
 * workspace. Otherwise Supabase Auth would give the app a token without asking, and every call with it would fail.
 */
async function forgetStale(lists: { workspace: string; data: Grant[] }[]): Promise<void> {
  const approved = await approvedClients();
  if (approved.length === 0) return;
  const own = await Promise.all(lists.map(async ({ workspace, data }) => {
    // Keep only the person's own grants: an admin gets the grants of others too.
    const { member } = await call<Workspace>("GET", WORKSPACE_PATH, { workspace });
    return data.filter((grant) => grant.member.id === member.id).map(({ client_id }) => client_id);
  }));
  const granted = own.flat();
  await Promise.all(approved.filter((id) => !granted.includes(id)).map(forgetApproval));
}

/** Where the answer goes: a host, or the program on this device that opens the address. */
export function targetOf(address: string): { host: string; isHere: boolean } {
  const { protocol, host, hostname } = new URL(address);
  if (!/^https?:$/.test(protocol)) return { host: `${protocol}//${host}`, isHere: true };
  return { host, isHere: /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname) };
}
