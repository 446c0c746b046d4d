import assert from "node:assert/strict";
import { join } from "node:path";
import type postgres from "postgres";
import { readMails } from "../../run/local/auth/mail.ts";
import { operate } from "../../run/operator/operator.ts";
import { members } from "../../supabase/functions/app-v1-members/routes.ts";
import { sendInvitation } from "../../supabase/functions/app-v1-members/invitation.ts";
import { actAsMember } from "../support/transactions.ts";
import { assertError, type Reply } from "../support/client.ts";
import { withEnvironment } from "../support/environment.ts";
import { makeKey } from "../support/fixtures.ts";
import { test } from "../support/scenario.ts";
import { makeMember, signIn } from "../support/sessions.ts";
import { dataDir } from "../support/stack.ts";

const MEMBERS = "/app-v1-members";

const newEmail = () => `${crypto.randomUUID()}@membro.example`;

test("app-v1-members lists the members, whether each has signed in, and how many of their keys still work", async ({ sql, workspace: { id, memberId } }) => {
  const { client: vendedor, memberId: own, email } = await signIn(sql, id, "vendedor");
  const revoked = await makeKey(sql, id, { memberId: own });
  await operate(sql, "key_revoke", { workspace_id: id, id: revoked.id });
  await makeKey(sql, id, { memberId: own });
  const { body } = await vendedor.get(MEMBERS);
  assert.deepEqual(body.data.map(({ id }: { id: string }) => id), [memberId, own]);
  const { created_at: _, ...listed } = body.data[1];
  assert.deepEqual(listed, {
    id: own,
    workspace_id: id,
    name: "Membro",
    email,
    role: "vendedor",
    is_active: true,
    has_signed_in: true,
    working_keys: 1,
  });
  assert.deepEqual([body.data[0].has_signed_in, body.data[0].working_keys], [false, 1]);
});

test("POST app-v1-members adds a member and sends an invitation that leads to the console", async ({ sql, workspace: { id } }) => {
  await sql`update crm.workspaces set name = 'Padaria & Sol' where id = ${id}`;
  const { client: admin, memberId } = await signIn(sql, id, "admin");
  const email = newEmail();
  const { status, body } = await admin.post(MEMBERS, {
    name: "Ana",
    email: email.toUpperCase(),
    role: "gestor",
  });
  const { role, has_signed_in, invitation_sent } = body;
  assert.deepEqual([status, body.email, role], [201, email, "gestor"]);
  assert.deepEqual([has_signed_in, invitation_sent], [false, true]);
  const mails = (await readMails(join(dataDir, "mail"))).filter(({ to }) => to === email);
  assert.deepEqual(mails.map(({ type }) => type), ["invite"]);
  assert.deepEqual([body.invited_to, body.invited_by], ["Padaria & Sol", "Membro"]);
  assert.match(mails[0]!.html!, /Membro convidou você\. Empresa: Padaria &#38; Sol\./);
  assert.match(new URL(mails[0]!.link).searchParams.get("redirect_to")!, /\/senha\/$/);

  // After the invitation was accepted, Supabase Auth answers email_exists: nobody gets a second account.
  const follow = await fetch(mails[0]!.link, { redirect: "manual" });
  await follow.body?.cancel();
  const again = await admin.post(`${MEMBERS}/${body.id}/invite`);
  assert.deepEqual([again.status, again.body.id, again.body.invitation_sent], [200, body.id, true]);

  const lines = await sql`
    select member_id, action, object_name, details from crm.audit_log where object_id = ${body.id} order by id`;
  const details = { email, role: "gestor" };
  const line = { member_id: memberId, action: "member_invited", object_name: "Ana" };
  assert.deepEqual(lines.map((row) => ({ ...row })), [
    { ...line, details },
    { ...line, details: { ...details, again: true } },
  ]);
});

test("app-v1-members refuses an e-mail that a member already has, in any letter case, and invites nobody who has signed in (spec 7)", async ({ sql, workspace: { id } }) => {
  const { client: admin, memberId, email } = await signIn(sql, id, "admin");
  const member = { name: "Ana", email: email.toUpperCase(), role: "vendedor" };
  assertError(await admin.post(MEMBERS, member), "email_taken", ["email"]);
  assertError(await admin.post(`${MEMBERS}/${memberId}/invite`), "already_signed_in");
});

test("An administrator sends at most 30 invitations an hour, and 3 to one member (spec 7)", async ({ sql, workspace: { id } }) => {
  const { client: { post }, memberId: admin } = await signIn(sql, id, "admin");
  const invited = await post(MEMBERS, { name: "Ana", email: newEmail(), role: "gestor" });
  const again = `${MEMBERS}/${invited.body.id}/invite`;
  const replies = await Promise.all(Array.from({ length: 6 }, () => post(again)));
  assert.equal(replies.filter(({ status }) => status === 200).length, 2);
  assertError(replies.find(({ status }) => status !== 200)!, "too_many_invitations");

  const invite = () => post(MEMBERS, { name: "Bia", email: newEmail(), role: "vendedor" });
  assert.equal((await invite()).status, 201, "another member can still be invited");
  const log = (count: number, at: string) =>
    sql`
    insert into crm.audit_log (workspace_id, id, member_id, action, object_type, object_id, object_name)
    select ${id}, crm.uuid_v7(now() - ${at}::interval), ${admin}, 'member_invited', 'member', gen_random_uuid(), 'Caio'
    from generate_series(1, ${count}::integer)`;
  await log(30, "61 minutes");
  const sent = async () => {
    const lines = await sql`
      select from crm.audit_log
      where workspace_id = ${id} and action = 'member_invited' and id >= crm.uuid_v7_floor(now() - interval '1 hour')`;
    return lines.length;
  };
  await log(29 - await sent(), "1 minute");
  assert.equal((await invite()).status, 201);
  assertError(await invite(), "too_many_invitations");
  await makeMember(sql, id, "vendedor");
});

Deno.test("An invitation that cannot be sent is logged without the address, and does not fail the call", async () => {
  const email = newEmail();
  const configured = { SUPABASE_SECRET_KEY: "x", APP_ORIGIN: "http://127.0.0.1:9", PUBLIC_URL: null };
  for (
    const [variables, reason] of [
      [{ SUPABASE_SECRET_KEY: null, SUPABASE_SERVICE_ROLE_KEY: null }, /SUPABASE_SECRET_KEY is not set/],
      [{ APP_ORIGIN: null }, /APP_ORIGIN is not set/],
      // Nothing listens on port 9 (discard).
      [{ SUPABASE_URL: "http://127.0.0.1:9" }, /error/i],
    ] as const
  ) {
    const lines = await withEnvironment({ ...configured, ...variables }, async () => {
      assert.equal(await sendInvitation({ email, invited_to: "Padaria Sol", invited_by: "Membro" }), false);
    });
    assert.deepEqual(lines.map(({ event }) => event), ["invitation_not_sent"]);
    assert.match(String(lines[0]!["reason"]), reason);
    assert.ok(!JSON.stringify(lines).includes(email));
  }
});

Deno.test("Invitations call Supabase Auth with the secret key, and only its error email_exists counts as invited", async () => {
  const seen: { url: string; apikey: string | null; authorization: string | null }[] = [];
  const limited = "over_email_send_rate_limit";
  const answers = [
    [200, {}],
    [200, {}],
    [422, { error_code: "email_exists" }],
    [429, { error_code: limited }],
  ];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    const { url, headers } = request;
    seen.push({
      url: new URL(url).pathname + new URL(url).search,
      apikey: headers.get("apikey"),
      authorization: headers.get("authorization"),
    });
    const [status, body] = answers[seen.length - 1] as [number, object];
    return Response.json(body, { status });
  });
  const configured = {
    SUPABASE_URL: `http://127.0.0.1:${server.addr.port}`,
    SUPABASE_SECRET_KEY: null,
    SUPABASE_SERVICE_ROLE_KEY: "service",
    APP_ORIGIN: "https://padaria.example/crm/",
  };
  const invite = () =>
    sendInvitation({ email: "ana@exemplo.com.br", invited_to: "Padaria Sol", invited_by: "Membro" });
  // Supabase also sets SUPABASE_SERVICE_ROLE_KEY, but a project may have disabled that legacy key.
  const named = JSON.stringify({ spare: "sb_secret_spare", default: "sb_secret_default" });
  await withEnvironment({ ...configured, SUPABASE_SECRET_KEYS: named }, async () => {
    assert.equal(await invite(), true);
  });
  const lines = await withEnvironment(configured, async () => {
    assert.deepEqual([await invite(), await invite(), await invite()], [true, true, false]);
  });
  await server.shutdown();
  const url = `/auth/v1/invite?redirect_to=${encodeURIComponent("https://padaria.example/crm/senha/")}`;
  assert.deepEqual(
    seen.slice(0, 2),
    ["sb_secret_default", "service"].map((key) => ({ url, apikey: key, authorization: `Bearer ${key}` })),
  );
  assert.deepEqual(lines.map(({ reason, status }) => [reason, status]), [[limited, 429]]);
});

test("PATCH app-v1-members changes name, role and is_active, which take effect at the next call", async ({ sql, workspace: { id } }) => {
  const { client: admin } = await signIn(sql, id, "admin");
  const { client: other, memberId } = await signIn(sql, id, "gestor");
  const { id: keyId } = await makeKey(sql, id, { memberId });
  const { body } = await admin.patch(`${MEMBERS}/${memberId}`, { name: "Bia", role: "vendedor" });
  const { name, role, keys: [key] } = body;
  assert.deepEqual([name, role, key.id], ["Bia", "vendedor", keyId]);
  assertError(await other.post("/app-v1-webhooks", {}), "insufficient_role");
  await admin.patch(`${MEMBERS}/${memberId}`, { is_active: false });
  assertError(await other.get(MEMBERS), "not_a_member");
  await admin.patch(`${MEMBERS}/${memberId}`, { is_active: true });
  assert.equal((await other.get(MEMBERS)).status, 200);
});

test("app-v1-members keeps the last active admin until another admin can sign in (spec 7)", async ({ sql, workspace: { id } }) => {
  // The workspace's original admin does not count, because nobody can sign in as that member.
  const { client: { get, patch }, memberId } = await signIn(sql, id, "admin");
  await get(MEMBERS);
  const change = (body: object) => patch(`${MEMBERS}/${memberId}`, body);
  for (const body of [{ role: "gestor" }, { is_active: false }]) {
    assertError(await change(body), "last_admin");
  }
  assert.equal((await change({ name: "Ana" })).body.name, "Ana");
  await makeMember(sql, id, "admin");
  assert.equal((await change({ role: "gestor" })).status, 200, "an admin who was invited can sign in");
});

/** Demotes a member in a transaction that commits once the calls wait for it. */
async function demoteBefore(
  sql: postgres.Sql,
  demotion: { workspace_id: string; id: string; role: string },
  by: string,
  calls: (() => Promise<Reply>)[],
): Promise<Reply[]> {
  let waiting: Promise<Reply>[] = [];
  await sql.begin(async (sql) => {
    await actAsMember(sql, by);
    await sql`select app.member_update(${sql.json(demotion)})`;
    waiting = calls.map((call) => call());
    await new Promise((resolve) => setTimeout(resolve, 300));
  });
  return await Promise.all(waiting);
}

test("If two admins demote each other at once, the second call is refused, because it would demote the last admin", async ({ sql, workspace: { id } }) => {
  const [one, two] = [await signIn(sql, id, "admin"), await signIn(sql, id, "admin")];
  for (const { client } of [one, two]) await client.get(MEMBERS);
  const demotion = { workspace_id: id, id: one.memberId, role: "gestor" };
  const call = () => two.client.patch(`${MEMBERS}/${two.memberId}`, { role: "gestor" });
  const [reply] = await demoteBefore(sql, demotion, one.memberId, [call]);
  assertError(reply!, "last_admin");
});

test("A demoted admin cannot regain the role through a call that was waiting for the demotion", async ({ sql, workspace: { id } }) => {
  const [{ memberId: first }, two] = [await signIn(sql, id, "admin"), await signIn(sql, id, "admin")];
  const demoted = two.client;
  await demoted.get(MEMBERS);
  const calls = [
    () => demoted.patch(`${MEMBERS}/${two.memberId}`, { role: "admin", name: "Ana" }),
    () => demoted.patch(`${MEMBERS}/${first}`, { role: "vendedor" }),
    () => demoted.patch("/app-v1-workspace", { name: "Tomada" }),
    () => demoted.post("/app-v1-keys", { name: "Site", scopes: ["leads:write"] }),
  ];
  const demotion = { workspace_id: id, id: two.memberId, role: "vendedor" };
  for (const reply of await demoteBefore(sql, demotion, first, calls)) {
    assertError(reply, "insufficient_role");
  }
  const roles = await sql`select role from crm.members where id in (${first}, ${two.memberId}) order by role`;
  assert.deepEqual(roles.map(({ role }) => role), ["admin", "vendedor"]);
});

Deno.test("No member endpoint can change an e-mail, because the e-mail decides who signs in as the member", () => {
  const fields = members.routes.map(({ endpoint }) => endpoint.body)
    .filter((body) => body !== undefined)
    .map((body) => Object.keys((body as unknown as { shape: object }).shape));
  assert.deepEqual(fields, [["name", "email", "role"], ["name", "role", "is_active"], [], []]);
});

test("An invitation's e-mail leaves out the name of a company or an inviter if that name could be a link", async ({ sql, workspace: { id } }) => {
  await sql`update crm.workspaces set name = 'Ganhe em premios.example agora' where id = ${id}`;
  const { client: admin, memberId } = await signIn(sql, id, "admin");
  await sql`update crm.members set name = 'https://x' where id = ${memberId}`;
  const email = newEmail();
  await admin.post(MEMBERS, { name: "Ana", email, role: "vendedor" });
  const [mail] = (await readMails(join(dataDir, "mail"))).filter(({ to }) => to === email);
  assert.match(mail!.html!, /Aceitar o convite/);
  assert.doesNotMatch(mail!.html!, /premios|https:\/\/x|convidou você/);
});
