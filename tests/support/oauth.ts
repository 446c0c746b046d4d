// An app that signs a person in through the shared stack's OAuth server, without a browser.
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { authUrl, callAuth } from "./local_auth.ts";
import { readReply, type Reply } from "./reply.ts";

/** Where the test's app receives its code. Nothing listens there. */
export const REDIRECT_URI = "http://127.0.0.1:9/callback";

/** Registers an app; by default a public one. */
export async function register(
  given: Record<string, unknown> = {},
): Promise<{ id: string; secret?: string }> {
  const reply = await callAuth("POST /oauth/clients/register", {
    body: {
      client_name: "Assistente",
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: "none",
      ...given,
    },
  });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return { id: reply.body.client_id, secret: reply.body.client_secret };
}

/** Makes a verifier and its challenge (PKCE). */
export function makeVerifier() {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

/** Asks for an authorization, as an app does by opening the address; returns where the reply redirects the browser. */
export async function authorize(
  clientId: string,
  challenge: string,
  given: Record<string, string> = {},
): Promise<{ reply: Reply; target: URL | null }> {
  const query = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    code_challenge: challenge,
    code_challenge_method: "S256",
    state: "estado",
    ...given,
  });
  const reply = await callAuth(`GET /oauth/authorize?${query}`);
  const location = reply.headers.get("location");
  return { reply, target: location === null ? null : new URL(location) };
}

/** Asks for an authorization and opens it as a person; returns its id and the details. */
export async function openRequest(token: string, clientId: string, challenge: string) {
  const { target } = await authorize(clientId, challenge);
  const id = target!.searchParams.get("authorization_id")!;
  return { id, details: await callAuth(`GET /oauth/authorizations/${id}`, { token }) };
}

/** Approves or denies an authorization; returns the address to which the browser must go. */
export async function answer(token: string, id: string, action: "approve" | "deny"): Promise<URL> {
  const { status, body } = await callAuth(`POST /oauth/authorizations/${id}/consent`, {
    token,
    body: { action },
  });
  assert.equal(status, 200, JSON.stringify(body));
  return new URL(body.redirect_url);
}

/** Calls the token endpoint with a form. */
export async function exchange(
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const body = new URLSearchParams(form);
  return await readReply(await fetch(`${authUrl}/oauth/token`, { method: "POST", headers, body }));
}

/** Signs a person in with an app, from the request to the tokens. */
export async function connectApp(token: string, app: { id: string }): Promise<Reply["body"]> {
  const { verifier, challenge } = makeVerifier();
  const { id } = await openRequest(token, app.id, challenge);
  const code = (await answer(token, id, "approve")).searchParams.get("code")!;
  const { status, body } = await exchange({
    grant_type: "authorization_code",
    client_id: app.id,
    code,
    code_verifier: verifier,
    redirect_uri: REDIRECT_URI,
  });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}
