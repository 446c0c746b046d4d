// Whoever is invited becomes a member only by accepting, and every member but the last admin may leave.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Sql } from "postgres";
import { readMails } from "../../run/local/auth/mail.ts";
import { assertError, memberClient } from "../support/client.ts";
import { makeKey, makeWorkspace } from "../support/fixtures.ts";
import { UNKNOWN_ID } from "../support/record_fixtures.ts";
import { test } from "../support/scenario.ts";
import { makeMember, signIn, signInAs } from "../support/sessions.ts";
import { dataDir } from "../support/stack.ts";

const MEMBERS = "/app-v1-members";
const CHOICES = "/app-v1-workspace/choices";
const answer = (id: string, verb: "accept" | "decline") => `/app-v1-workspace/invitations/${id}/${verb}`;
const LEAVE = `${MEMBERS}/leave`;

/** A person with an account and no membership. */
async function makePerson(sql: Sql) {
  const email = `${crypto.randomUUID()}@pessoa.example`;
  return { email, ...(await signInAs(sql, { memberId: "", email })).client };
}

/** Has an admin of a workspace invite somebody; returns the id of the member. */
async function invite(sql: Sql, workspaceId: string, email: string, role = "vendedor") {
  const { client: admin } = await signIn(sql, workspaceId, "admin");
  const { status, body, text } = await admin.post(MEMBERS, { name: "Ana", email, role });
  assert.equal(status, 201, text);
  return { admin, id: body.id as string };
}

const actions = async (sql: Sql, memberId: string) =>
  (await sql`select action from crm.audit_log where object_id = ${memberId} order by id`).map(({ action }) =>
    action
  );

test("A person with an account becomes a member only by accepting the invitation", async ({ sql, workspace: { id } }) => {
  const person = await makePerson(sql);
  assertError(await person.get(CHOICES), "not_a_member");
  const { admin, id: memberId } = await invite(sql, id, person.email);
  const state = async () => {
    const { body } = await admin.get(MEMBERS);
    return body.data.find((member: { id: string }) => member.id === memberId).has_signed_in;
  };

  const { body } = await person.get(CHOICES);
  const [{ invited_at, ...invitation }] = body.invitations;
  assert.deepEqual([body.data, body.invitations.length], [[], 1]);
  assert.deepEqual(invitation, { id: memberId, workspace_id: id, workspace_name: "Teste", role: "vendedor" });
  assert.match(invited_at, /Z$/);
  assertError(await person.get("/app-v1-workspace"), "not_a_member");
  assertError(await person.post(LEAVE, {}), "not_a_member");
  assert.equal(await state(), false);

  const accepted = await person.post(answer(memberId, "accept"));
  assert.deepEqual([accepted.status, accepted.body.invitations], [200, []]);
  assert.deepEqual(accepted.body.data, [{ id, name: "Teste", role: "vendedor" }]);
  assert.equal((await person.get("/app-v1-workspace")).status, 200);
  assert.equal(await state(), true);
  assertError(await person.post(answer(memberId, "accept")), "not_found");
  assert.deepEqual(await actions(sql, memberId), ["member_invited", "invitation_accepted"]);
});

test("A declined invitation is gone, and reactivating the member invites the person again", async ({ sql, workspace: { id } }) => {
  const person = await makePerson(sql);
  const { admin, id: memberId } = await invite(sql, id, person.email, "admin");
  assert.deepEqual((await person.post(answer(memberId, "decline"))).body, { data: [], invitations: [] });
  assertError(await person.get(CHOICES), "not_a_member");
  assert.deepEqual(await actions(sql, memberId), ["member_invited", "invitation_declined"]);
  assertError(await admin.post(`${MEMBERS}/${memberId}/invite`), "not_found");
  const { body } = await admin.patch(`${MEMBERS}/${memberId}`, { is_active: true });
  assert.equal(body.has_signed_in, false);
  assert.equal((await person.get(CHOICES)).body.invitations.length, 1);
});

test("Nobody sees or answers another person's invitation, and a person with an unconfirmed e-mail sees none", async ({ sql, workspace: { id } }) => {
  const [person, other] = [await makePerson(sql), await makePerson(sql)];
  const { id: memberId } = await invite(sql, id, person.email);
  const { id: ofOther } = await invite(sql, id, other.email);
  const { client: admin } = await signIn(sql, id, "admin");
  for (const verb of ["accept", "decline"] as const) {
    assertError(await other.post(answer(memberId, verb)), "not_found");
    assertError(await admin.post(answer(memberId, verb)), "not_found");
    assertError(await person.post(answer(UNKNOWN_ID, verb)), "not_found");
  }
  const { body: { invitations } } = await other.get(CHOICES);
  assert.deepEqual(invitations.map(({ id }: { id: string }) => id), [ofOther]);
  // An unconfirmed address proves nothing: anybody could have entered it.
  await sql`update auth.users set email_confirmed_at = null where email = ${person.email}`;
  assertError(await person.get(CHOICES), "not_a_member");
});

test("Following the link of an invitation accepts it, but accepts none if the address has several", async ({ sql, workspace: { id } }) => {
  const { id: rival } = await makeWorkspace(sql);
  const [email, twice] = [0, 1].map(() => `${crypto.randomUUID()}@pessoa.example`) as [string, string];
  const follow = async (to: string) => {
    const mails = (await readMails(join(dataDir, "mail"))).filter((mail) => mail.to === to);
    const reply = await fetch(mails.at(-1)!.link, { redirect: "manual" });
    await reply.body?.cancel();
    const token = new URLSearchParams(new URL(reply.headers.get("Location")!).hash.slice(1));
    return memberClient(token.get("access_token")!);
  };
  const { id: memberId } = await invite(sql, id, email);
  const person = await follow(email);
  assert.deepEqual((await person.get(CHOICES)).body, {
    data: [{ id, name: "Teste", role: "vendedor" }],
    invitations: [],
  });
  assert.deepEqual(await actions(sql, memberId), ["member_invited", "member_signed_in"]);

  await invite(sql, id, twice);
  await invite(sql, rival, twice);
  const other = await follow(twice);
  const { body } = await other.get(CHOICES);
  assert.deepEqual([body.data.length, body.invitations.length], [0, 2]);
  await other.post(answer(body.invitations[0].id, "accept"));
  const { body: after } = await other.get(CHOICES);
  assert.deepEqual([after.data.length, after.invitations.length], [1, 1], "one invitation stays open");
});

test("A person leaves a workspace, and an admin who reactivates the member only sends an invitation", async ({ sql, workspace: { id } }) => {
  const { client: admin } = await signIn(sql, id, "admin");
  const { client: person, memberId } = await signIn(sql, id, "gestor");
  await person.get(CHOICES);
  const { id: keyId } = await makeKey(sql, id, { memberId });
  const { status, body } = await person.post(LEAVE);
  assert.deepEqual([status, body.id, body.is_active, body.has_signed_in], [200, memberId, false, false]);
  // The reply names the member's keys that still work, as when an admin deactivates a member.
  assert.deepEqual(body.keys.map(({ id }: { id: string }) => id), [keyId]);
  assertError(await person.get(CHOICES), "not_a_member");
  await admin.patch(`${MEMBERS}/${memberId}`, { is_active: true });
  assertError(await person.get("/app-v1-workspace"), "not_a_member");
  assert.equal((await person.post(answer(memberId, "accept"))).body.data[0].id, id);
  const [last, ...before] = (await actions(sql, memberId)).reverse();
  assert.deepEqual([last, before.includes("member_left")], ["invitation_accepted", true]);
});

test("The last admin cannot leave: invited admins do not count, and if two admins leave at once one is refused", async ({ sql, workspace: { id } }) => {
  const { client: first } = await signIn(sql, id, "admin");
  const successor = await makePerson(sql);
  const { body } = await first.post(MEMBERS, { name: "Bia", email: successor.email, role: "admin" });
  assertError(await first.post(LEAVE), "last_admin");
  await successor.post(answer(body.id, "accept"));
  const replies = await Promise.all([first.post(LEAVE), successor.post(LEAVE)]);
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409]);
});

test("A member whom the operator adds is linked without accepting, even if the person also has an invitation", async ({ sql, workspace: { id } }) => {
  const person = await makePerson(sql);
  const other = await makeWorkspace(sql);
  await makeMember(sql, other.id, "gestor", person.email);
  await invite(sql, id, person.email);
  const { body } = await person.get(CHOICES);
  assert.deepEqual([body.data.map(({ id }: { id: string }) => id), body.invitations.length], [[other.id], 1]);
});
