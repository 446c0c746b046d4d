/**
 * Signs people in and out with Supabase's own client library, against the service at AUTH_URL.
 * tests/console/sign_in_library_test.ts runs this file. It is in console/ because only the console's packages include
 * the library. Environment: AUTH_URL, SERVICE_KEY, PAGE (the address that links open), MAIL_FOLDER.
 */
import assert from "node:assert/strict";
import { AuthAdminApi, GoTrueClient, isAuthApiError, isAuthWeakPasswordError } from "@supabase/auth-js";
import { readMails } from "../../run/local/auth/mail.ts";

const [url, serviceKey, redirectTo, mailFolder] = ["AUTH_URL", "SERVICE_KEY", "PAGE", "MAIL_FOLDER"]
  .map((name) => Deno.env.get(name)!) as [string, string, string, string];
const newEmail = () => `${crypto.randomUUID()}@exemplo.example`;

/** A client that stores no session, and so acts as a separate browser. */
function browser(): GoTrueClient {
  return new GoTrueClient({
    url,
    headers: { apikey: "local" },
    autoRefreshToken: false,
    persistSession: false,
    flowType: "implicit",
  });
}

type Success<Reply> = Extract<Reply, { data: unknown; error: null }>;

async function succeed<Reply extends { data: unknown; error: unknown }>(
  replying: Promise<Reply>,
): Promise<Success<Reply>["data"]> {
  const reply = await replying;
  assert.equal(reply.error, null);
  return (reply as Success<Reply>).data;
}

async function signOut(client: GoTrueClient, scope: "global" | "others"): Promise<void> {
  assert.equal((await client.signOut({ scope })).error, null);
}

async function fail(reply: Promise<{ error: unknown }>, code: string): Promise<void> {
  const { error } = await reply;
  assert.ok(isAuthApiError(error) || isAuthWeakPasswordError(error), `${error}`);
  assert.equal(error.code, code);
}

/** Opens the link in the last e-mail to an address, and gives the library the session in the link's fragment. */
async function openLink(email: string, client: GoTrueClient): Promise<void> {
  const { link } = (await readMails(mailFolder)).findLast(({ to }) => to === email)!;
  const response = await fetch(link, { redirect: "manual" });
  await response.body?.cancel();
  const target = new URL(response.headers.get("location")!);
  assert.equal(target.origin + target.pathname, redirectTo);
  const fragment = new URLSearchParams(target.hash.slice(1));
  await succeed(client.setSession({
    access_token: fragment.get("access_token")!,
    refresh_token: fragment.get("refresh_token")!,
  }));
}

const [first, second, third] = [browser(), browser(), browser()];
const [email, password] = [newEmail(), "segredo-1"];
const { user } = await succeed(first.signUp({ email, password }));
await fail(second.signUp({ email, password }), "user_already_exists");
await fail(second.signInWithPassword({ email, password: "errada" }), "invalid_credentials");
await succeed(second.signInWithPassword({ email, password }));
await succeed(third.signInWithPassword({ email, password }));
assert.deepEqual((await succeed(second.getUser())).user, (await succeed(first.getUser())).user);

const claims = (await succeed(second.getClaims()))!;
assert.equal(claims.header.alg, "ES256");
assert.deepEqual([claims.claims.sub, claims.claims.iss, claims.claims.role], [
  user!.id,
  url,
  "authenticated",
]);

assert.ok((await succeed(second.refreshSession())).session);

await signOut(second, "others");
await succeed(second.getUser());
await fail(second.updateUser({ password }), "same_password");
await fail(second.updateUser({ password: "curta" }), "weak_password");
await succeed(second.updateUser({ password: "segredo-2" }));
for (const client of [first, third]) assert.notEqual((await client.getUser()).error, null);
await signOut(second, "global");
assert.equal((await succeed(second.getSession())).session, null);

await succeed(first.resetPasswordForEmail(email, { redirectTo }));
await openLink(email, first);
await succeed(first.updateUser({ password: "segredo-3" }));
await succeed(second.signInWithPassword({ email, password: "segredo-3" }));

const admin = new AuthAdminApi({
  url,
  headers: { apikey: serviceKey, Authorization: `Bearer ${serviceKey}` },
});
const invited = newEmail();
await succeed(admin.inviteUserByEmail(invited, { redirectTo }));
await fail(admin.inviteUserByEmail(email), "email_exists");
await openLink(invited, third);
await succeed(third.updateUser({ password: "segredo-4" }));
await succeed(browser().signInWithPassword({ email: invited, password: "segredo-4" }));
