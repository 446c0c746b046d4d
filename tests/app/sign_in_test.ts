// Who may sign in, and as which member: the links between people (auth.users) and members.
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { assertError, memberClient } from "../support/client.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { test } from "../support/scenario.ts";
import { accessTokens, makeMember, signIn, signInAs } from "../support/sessions.ts";

const CHOICES = "/app-v1-workspace/choices";

async function linkedUser(sql: Sql, memberId: string): Promise<string | null> {
  const [row] = await sql`select user_id from crm.members where id = ${memberId}`;
  return row!["user_id"];
}

test("The first call links a person to the members with their e-mail, in any letter case and in every workspace", async ({ sql, workspace: { id } }) => {
  const other = await makeWorkspace(sql);
  const email = `Ana.${crypto.randomUUID()}@Padaria.example`;
  const first = await makeMember(sql, id, "gestor", email);
  const second = await makeMember(sql, other.id, "vendedor", email);
  const { client: person, userId } = await signInAs(sql, { ...first, email: email.toLowerCase() });
  assert.equal(await linkedUser(sql, first.memberId), null);

  // The person is not a member of the third workspace.
  await signIn(sql, (await makeWorkspace(sql)).id, "admin");
  const { body } = await person.get(CHOICES);
  assert.deepEqual(
    body.data.map(({ id, role }: { id: string; role: string }) => [id, role]).sort(),
    [[id, "gestor"], [other.id, "vendedor"]].sort(),
  );
  assert.equal(await linkedUser(sql, first.memberId), userId);
  assert.equal(await linkedUser(sql, second.memberId), userId);
  const lines = await sql`
    select object_id from crm.audit_log where action = 'member_signed_in' and member_id = ${first.memberId}`;
  assert.equal(lines.length, 1);
});

test("An unconfirmed e-mail links nobody, whatever the token and the user's metadata say", async ({ sql, workspace: { id } }) => {
  const victim = await makeMember(sql, id, "admin");
  const attacker = await signInAs(sql, {
    memberId: "",
    email: `${crypto.randomUUID()}@x.example`,
  });
  await sql`
    update auth.users set email_confirmed_at = null, email = ${victim.email},
      raw_user_meta_data = ${sql.json({ email: victim.email, email_verified: true })}
    where id = ${attacker.userId}`;
  const [user] = await sql`select * from auth.users where id = ${attacker.userId}`;
  const token = await accessTokens.sign(user as never, attacker.sessionId, Math.floor(Date.now() / 1000));
  assertError(await memberClient(token).get(CHOICES), "not_a_member");
  assert.equal(await linkedUser(sql, victim.memberId), null);
});

test("The placeholder address of first admins links nobody", async ({ sql, workspace: { memberId } }) => {
  const [first] = await sql`select email from crm.members where id = ${memberId}`;
  assert.match(first!["email"], /\.invalid$/);
  const { client: person } = await signInAs(sql, { memberId, email: first!["email"] });
  assertError(await person.get(CHOICES), "not_a_member");
  assert.equal(await linkedUser(sql, memberId), null);
});

test("An address that another company's single sign-on vouches for links nobody", async ({ sql, workspace: { id } }) => {
  const victim = await makeMember(sql, id, "admin");
  const attacker = await signInAs(sql, victim);
  await sql`update auth.users set is_sso_user = true where id = ${attacker.userId}`;
  assertError(await attacker.client.get(CHOICES), "not_a_member");
  assert.equal(await linkedUser(sql, victim.memberId), null);
});

test("A linked member stays linked to that person: a later owner of the e-mail is not linked", async ({ sql, workspace: { id } }) => {
  const first = await signIn(sql, id, "admin");
  await first.client.get(CHOICES);
  await sql`update auth.users set email = ${`${crypto.randomUUID()}@moved.example`} where id = ${first.userId}`;
  const second = await signInAs(sql, { memberId: "", email: first.email });
  assert.notEqual(second.userId, first.userId);
  assertError(await second.client.get(CHOICES), "not_a_member");
  assert.equal((await first.client.get(CHOICES)).status, 200);
});

test("A member whose person was deleted is linked to the next person with the same confirmed e-mail", async ({ sql, workspace: { id } }) => {
  const first = await signIn(sql, id, "gestor");
  await first.client.get(CHOICES);
  await sql`delete from auth.users where id = ${first.userId}`;
  assertError(await first.client.get(CHOICES), "invalid_session");
  const second = await signInAs(sql, first);
  assert.equal((await second.client.get(CHOICES)).body.data[0].role, "gestor");
});

test("An expired session and a banned person are refused at once", async ({ sql, workspace: { id } }) => {
  const one = await signIn(sql, id, "admin");
  assert.equal((await one.client.get(CHOICES)).status, 200);
  await sql`update auth.sessions set not_after = now() where id = ${one.sessionId}`;
  assertError(await one.client.get(CHOICES), "invalid_session");
  const two = await signIn(sql, id, "admin");
  await sql`update auth.users set banned_until = now() + interval '1 day' where id = ${two.userId}`;
  assertError(await two.client.get(CHOICES), "invalid_session");
});

test("An app's session is refused even with a token that does not name the app", async ({ sql, workspace: { id } }) => {
  const { client: member, sessionId } = await signIn(sql, id, "admin");
  assert.equal((await member.get(CHOICES)).status, 200);
  // Supabase Auth gives an app such a token after the app has added a second factor for the person.
  await sql`update auth.sessions set oauth_client_id = ${crypto.randomUUID()} where id = ${sessionId}`;
  assertError(await member.get(CHOICES), "invalid_session");
});

test("A person with a second factor is refused until a code was typed in the session; other people are not", async ({ sql, workspace: { id } }) => {
  const one = await signIn(sql, id, "admin");
  const other = await signIn(sql, id, "admin");
  const addFactor = (status: string) =>
    sql`insert into auth.mfa_factors (user_id, factor_type, status) values (${one.userId}, 'totp', ${status})`;
  await addFactor("unverified");
  assert.equal((await one.client.get(CHOICES)).status, 200);
  await addFactor("verified");
  assertError(await one.client.get(CHOICES), "invalid_session");
  assert.equal((await other.client.get(CHOICES)).status, 200);
  const grant = { client_id: crypto.randomUUID(), client_name: "App", scopes: ["deals:read"] };
  assertError(await one.client.post("/app-v1-apps", grant), "invalid_session");
  await sql`update auth.sessions set aal = 'aal2' where id = ${one.sessionId}`;
  assert.equal((await one.client.get(CHOICES)).status, 200);
});
