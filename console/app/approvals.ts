/**
 * Approvals: a person's consent to an app, which Supabase Auth's OAuth server stores. An approval gives the app tokens.
 * The grant (app-v1-apps) says what the tokens may do in a workspace.
 */
import { askAuth } from "./ask_auth.ts";
import type { Failure } from "./failure.ts";

/** Where the grants of apps are read and written. */
export const APPS_PATH = "app-v1-apps";

/** What an app asks for; or only the address to go to, if the person has already approved the app. */
export type AppRequest = { redirect_url: string } | {
  redirect_url?: undefined;
  redirect_uri: string;
  client: { id: string; name?: string };
};

/** Reads an app's request. Only the first person who reads a request may answer it. */
export function readRequest(id: string): Promise<AppRequest> {
  return askAuth("GET", `oauth/authorizations/${encodeURIComponent(id)}`);
}

/** Answers an app's request; resolves with the address to go to, which carries the answer. */
export async function answerRequest(id: string, action: "approve" | "deny"): Promise<string> {
  const path = `oauth/authorizations/${encodeURIComponent(id)}/consent`;
  return (await askAuth<{ redirect_url: string }>("POST", path, { action })).redirect_url;
}

/** The ids of the apps that the person has approved. */
export async function approvedClients(): Promise<string[]> {
  const approvals = await askAuth<{ client: { id: string } }[]>("GET", "user/oauth/grants");
  return approvals.map(({ client }) => client.id);
}

/** Withdraws an approval, and so ends the app's sessions. Does nothing if the person has not approved the app. */
export async function forgetApproval(clientId: string): Promise<void> {
  try {
    await askAuth("DELETE", `user/oauth/grants?client_id=${clientId}`);
  } catch (thrown) {
    if ((thrown as Failure).code !== "oauth_consent_not_found") throw thrown;
  }
}
