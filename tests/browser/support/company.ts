// Companies with people who can sign in.
import type { Sql } from "postgres";
import type { Role } from "../../../supabase/functions/_shared/contract/roles.ts";
import { makeWorkspace, type TestWorkspace } from "../../support/fixtures.ts";
import { consoleUrl, type Look, openPage, type Watched } from "./browser.ts";
import type { World } from "./scenario.ts";
import { makeMember } from "../../support/sessions.ts";

export interface Person {
  email: string;
  password: string;
}

export interface Company extends TestWorkspace {
  name: string;
}

export async function makeCompany(sql: Sql, name = "Padaria Sol"): Promise<Company> {
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
  await auth("signup", { email, password });
  return { email, password };
}

/** Signs in as a browser does, and returns the session as the browser stores it: JSON. */
export async function sessionOf({ email, password }: Person): Promise<string> {
  return await auth("token?grant_type=password", { email, password });
}

async function auth(path: string, body: unknown): Promise<string> {
  const response = await fetch(`${consoleUrl}/auth/v1/${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", apikey: "local" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return text;
}

/** A page opened by a person of a new company. */
export interface OpenedPage extends Watched {
  company: Company;
  person: Person;
}

/** Makes a company with a person of that role, and opens a page as this person. */
export async function openAs(
  { browser, sql }: World,
  path: string,
  role: Role,
  look: Look & { name?: string } = {},
): Promise<OpenedPage> {
  const company = await makeCompany(sql);
  const person = await makePerson(sql, company, role, look.name ? { name: look.name } : {});
  const session = await sessionOf(person);
  return Object.assign(await openPage(browser, path, { ...look, session }), { company, person });
}
