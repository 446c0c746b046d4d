import assert from "node:assert/strict";
import { join } from "node:path";
import { type Mail, readMails } from "../../run/local/auth/mail.ts";
import { loadSecrets } from "../../run/local/secrets.ts";
import { baseUrl, dataDir } from "./stack.ts";

/** The URL of the shared stack's local sign-in. */
export const authUrl = new URL("/auth/v1", baseUrl).href;

/** The shared stack's service key, which may invite people. */
export const { service_key: serviceKey } = await loadSecrets(dataDir);

export interface AuthReply {
  status: number;
  headers: Headers;
  // deno-lint-ignore no-explicit-any -- each test asserts the fields that it expects
  body: any;
}

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
): Promise<AuthReply> {
  const [method, path] = endpoint.split(" ");
  const response = await fetch(authUrl + path, {
    method: method!,
    headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    redirect: "manual",
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? null : JSON.parse(text) };
}

/** Asserts that the reply is the error with that code, in GoTrue's format. */
export function assertAuthError({ status, headers, body }: AuthReply, code: string, expected: number): void {
  assert.deepEqual([body?.error_code, body?.code, status], [code, expected, expected], JSON.stringify(body));
  assert.ok(body.msg);
  assert.equal(headers.get("x-sb-error-code"), code);
}

/** An e-mail address that no user has yet. */
export const newEmail = () => `${crypto.randomUUID()}@exemplo.example`;

/** Signs in by password. */
export function signIn(email: string, password: string): Promise<AuthReply> {
  return callAuth("POST /token?grant_type=password", { body: { email, password } });
}

/** Exchanges a refresh token. */
export function refresh(refresh_token: string): Promise<AuthReply> {
  return callAuth("POST /token?grant_type=refresh_token", { body: { refresh_token } });
}

/** A new user who is signed in. */
export async function signUp(password = "segredo-1"): Promise<AuthReply["body"] & { email: string }> {
  const email = newEmail();
  const { status, body } = await callAuth("POST /signup", { body: { email, password } });
  assert.equal(status, 200, JSON.stringify(body));
  return { ...body, email };
}

/** The last mail to an address. */
export async function lastMailTo(email: string): Promise<Mail> {
  const mail = (await readMails(join(dataDir, "mail"))).findLast(({ to }) => to === email);
  assert.ok(mail, `There is no mail to ${email}`);
  return mail;
}

/** Opens a link from a mail as a browser does; returns the address that it redirects to and the fragment's values. */
export async function followLink(link: string): Promise<{ target: string; values: Record<string, string> }> {
  const response = await fetch(link, { redirect: "manual" });
  await response.body?.cancel();
  assert.equal(response.status, 303);
  const url = new URL(response.headers.get("location")!);
  const values = Object.fromEntries(new URLSearchParams(url.hash.slice(1)));
  url.hash = "";
  return { target: url.href, values };
}
