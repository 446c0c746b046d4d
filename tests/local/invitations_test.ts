import assert from "node:assert/strict";
import { join } from "node:path";
import { type Mail, readMails } from "../../run/local/auth/mail.ts";
import {
  assertAuthError,
  authUrl,
  callAuth,
  newEmail,
  serviceKey,
  signIn,
  signUp,
} from "../support/local_auth.ts";
import { dataDir, openDatabase } from "../support/stack.ts";

const { origin } = new URL(authUrl);
const PASSWORD_PAGE = `${origin}/senha/`;
const EXPIRED = {
  error: "access_denied",
  error_code: "otp_expired",
  error_description: "Email link is invalid or has expired",
  sb: "",
};

function invite(email: string, redirectTo = PASSWORD_PAGE, token = serviceKey) {
  const query = new URLSearchParams({ redirect_to: redirectTo });
  return callAuth(`POST /invite?${query}`, { token, body: { email } });
}

function recover(email: string) {
  const query = new URLSearchParams({ redirect_to: PASSWORD_PAGE });
  return callAuth(`POST /recover?${query}`, { body: { email } });
}

async function lastMailTo(email: string): Promise<Mail> {
  const mail = (await readMails(join(dataDir, "mail"))).findLast(({ to }) => to === email);
  assert.ok(mail, `There is no mail to ${email}`);
  return mail;
}

/** Opens a link from a mail as a browser does; returns the address that it redirects to and the fragment's values. */
async function followLink(link: string): Promise<{ target: string; values: Record<string, string> }> {
  const response = await fetch(link, { redirect: "manual" });
  await response.body?.cancel();
  assert.equal(response.status, 303);
  const url = new URL(response.headers.get("location")!);
  const values = Object.fromEntries(new URLSearchParams(url.hash.slice(1)));
  url.hash = "";
  return { target: url.href, values };
}

Deno.test("An invited person signs in with the link, once, and chooses a password", async () => {
  const email = newEmail();
  const invited = await invite(email);
  assert.equal(invited.status, 200);
  assert.ok(invited.body.invited_at);
  assert.equal(invited.body.email_confirmed_at, null);

  const { type, link } = await lastMailTo(email);
  assert.equal(type, "invite");
  const wrong = await followLink(link.replace("type=invite", "type=recovery"));
  assert.deepEqual(wrong.values, EXPIRED);
  const { target, values } = await followLink(link);
  assert.equal(target, PASSWORD_PAGE);
  const { access_token: token, refresh_token, expires_at, ...rest } = values;
  assert.deepEqual(rest, { token_type: "bearer", expires_in: "3600", type: "invite", sb: "" });
  assert.ok(refresh_token && Number(expires_at) > Date.now() / 1000);

  const user = await callAuth("GET /user", { token: token! });
  assert.ok(user.body.email_confirmed_at);
  assert.equal((await callAuth("PUT /user", { token: token!, body: { password: "segredo-3" } })).status, 200);
  assert.equal((await signIn(email, "segredo-3")).status, 200);
  assert.deepEqual((await followLink(link)).values, EXPIRED);
});

Deno.test("A second invitation replaces the first; a person who has confirmed the address is not invited", async () => {
  const email = newEmail();
  await invite(email);
  const first = await lastMailTo(email);
  await invite(email);
  const second = await lastMailTo(email);
  assert.deepEqual((await followLink(first.link)).values, EXPIRED);
  assert.equal((await followLink(second.link)).values["type"], "invite");
  assertAuthError(await invite(email), "email_exists", 422);
});

Deno.test("Only the service key may invite", async () => {
  const { access_token } = await signUp();
  for (const token of [access_token, "local", `${serviceKey}x`]) {
    assertAuthError(await invite(newEmail(), PASSWORD_PAGE, token), "not_admin", 403);
  }
  assertAuthError(await callAuth("POST /invite", { body: { email: newEmail() } }), "no_authorization", 401);
  const byApiKey = { headers: { apikey: serviceKey }, token: "x", body: { email: newEmail() } };
  assert.equal((await callAuth("POST /invite", byApiKey)).status, 200);
});

Deno.test("A recovery link signs in once; the reply does not tell whether the address has a user", async () => {
  const { email } = await signUp();
  const known = await recover(email);
  const unknown = newEmail();
  const reply = await recover(unknown);
  assert.deepEqual([known.status, known.body], [reply.status, reply.body]);
  await assert.rejects(lastMailTo(unknown), /no mail/);

  const { type, link } = await lastMailTo(email);
  assert.equal(type, "recovery");
  const { target, values } = await followLink(link);
  assert.deepEqual([target, values["type"]], [PASSWORD_PAGE, "recovery"]);
  assert.deepEqual((await followLink(link)).values, EXPIRED);
});

Deno.test("A link stops working after 24 hours, and when the person changes the password", async () => {
  await using sql = openDatabase();
  const invited = newEmail();
  await invite(invited);
  await sql`
    update auth.users set confirmation_sent_at = confirmation_sent_at - interval '24 hours' where email = ${invited}`;
  assert.deepEqual((await followLink((await lastMailTo(invited)).link)).values, EXPIRED);

  const { email, access_token: token } = await signUp();
  await recover(email);
  await callAuth("PUT /user", { token, body: { password: "segredo-2" } });
  assert.deepEqual((await followLink((await lastMailTo(email)).link)).values, EXPIRED);
});

Deno.test("A link leads only to the console or to this machine, even if somebody changes it", async () => {
  const cases: [wanted: string, target: string][] = [
    [`${origin}/chaves/?id=1#x`, `${origin}/chaves/?id=1`],
    ["http://localhost:5173/a", "http://localhost:5173/a"],
    ["https://evil.example/", `${origin}/`],
    ["//evil.example/", `${origin}/`],
    ["javascript:alert(1)", `${origin}/`],
    ["http://127.0.0.1.evil.example/", `${origin}/`],
    ["http://user@127.0.0.1/", `${origin}/`],
  ];
  for (const [wanted, expected] of cases) {
    const email = newEmail();
    await invite(email, wanted);
    const url = new URL((await lastMailTo(email)).link);
    url.searchParams.set("redirect_to", wanted);
    const { target, values } = await followLink(url.href);
    assert.equal(target, expected, wanted);
    assert.equal(values["type"], "invite");
  }
});
