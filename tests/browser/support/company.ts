// Companies with people who can sign in.
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import type { Role } from "../../../supabase/functions/_shared/contract/roles.ts";
import { makeWorkspace } from "../../support/fixtures.ts";
import * as auth from "../../support/local_auth.ts";
import { makeMember } from "../../support/sessions.ts";
import { type Look, openPage } from "./browser.ts";
import type { World } from "./scenario.ts";

export interface Person {
  email: string;
  password: string;
}

export async function makeCompany(sql: Sql, name = "Padaria Sol") {
  return { ...await makeWorkspace(sql, { name }), name };
}

/** Adds a member who has chosen a password. */
export async function makePerson(
  sql: Sql,
  { id }: { id: string },
  role: Role,
  { name = "Ana Souza", email = `${crypto.randomUUID()}@padariasol.example` } = {},
): Promise<Person> {
  const { memberId } = await makeMember(sql, id, role, email);
  await sql`update crm.members set name = ${name} where id = ${memberId}`;
  return await signUp(email);
}

/** Sets a member's password. */
export async function signUp(email: string): Promise<Person> {
  const password = crypto.randomUUID();
  await auth.signUp(password, email);
  return { email, password };
}

/** Signs in as a browser does, and returns the session as the browser stores it: JSON. */
export async function sessionOf({ email, password }: Person): Promise<string> {
  const { status, body } = await auth.signIn(email, password);
  assert.equal(status, 200, JSON.stringify(body));
  return JSON.stringify(body);
}

/** Makes a company with a person of that role, and opens a page as this person. */
export async function openAs(
  { browser, sql }: World,
  path: string,
  role: Role,
  look: Look & { name?: string } = {},
) {
  const company = await makeCompany(sql);
  const person = await makePerson(sql, company, role, look.name ? { name: look.name } : {});
  const session = await sessionOf(person);
  return Object.assign(await openPage(browser, path, { ...look, session }), { company, person });
}
