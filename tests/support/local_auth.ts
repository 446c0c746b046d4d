import assert from "node:assert/strict";
import { loadSecrets } from "../../run/local/secrets.ts";
import { readReply, type Reply } from "./reply.ts";
import { baseUrl, dataDir } from "./stack.ts";

/** The URL of the shared stack's local sign-in. */
export const authUrl = new URL("/auth/v1", baseUrl).href;

/** The shared stack's service key, which may invite people. */
export const { service_key: serviceKey } = await loadSecrets(dataDir);

interface AuthRequest {
  /** Sent as JSON, unless it is text already. */
  body?: unknown;
  /** An access token, or the service key. */
  token?: string;
  headers?: Record<string, string>;
}

/** Calls an endpoint of local sign-in, such as `POST /token?grant_type=password`, without following redirects. */
export async function callAuth(
  endpoint: string,
  { body, token, headers }: AuthRequest = {},
): Promise<Reply> {
  const [method, path] = endpoint.split(" ");
  const response = await fetch(authUrl + path, {
    method: method!,
    headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    redirect: "manual",
  });
  return await readReply(response);
}

/** Asserts that the reply is the error with that code, in GoTrue's format. */
export function assertAuthError({ status, headers, body }: Reply, code: string, expected: number): void {
  assert.deepEqual([body?.error_code, body?.code, status], [code, expected, expected], JSON.stringify(body));
  assert.ok(body.msg);
  assert.equal(headers.get("x-sb-error-code"), code);
}

/** An e-mail address that no user has yet. */
export const newEmail = () => `${crypto.randomUUID()}@exemplo.example`;

export function signIn(email: string, password: string): Promise<Reply> {
  return callAuth("POST /token?grant_type=password", { body: { email, password } });
}

export function refresh(refresh_token: string): Promise<Reply> {
  return callAuth("POST /token?grant_type=refresh_token", { body: { refresh_token } });
}

/** A new user who is signed in. */
export async function signUp(
  password = "segredo-1",
  email = newEmail(),
): Promise<Reply["body"] & { email: string }> {
  const { status, body } = await callAuth("POST /signup", { body: { email, password } });
  assert.equal(status, 200, JSON.stringify(body));
  return { ...body, email };
}
