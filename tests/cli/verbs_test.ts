// These tests read the verbs of schema app from the catalogue, so that they cover new verbs.
import assert from "node:assert/strict";
import { OPERATOR_CODES, OperatorError } from "../../run/operator/errors.ts";
import { join } from "node:path";
import { operate } from "../../run/operator/operator.ts";
import type { VerbName } from "../../run/operator/verbs.ts";
import { filesOf } from "../../site/sizes.ts";
import * as fields from "../../supabase/functions/_shared/contract/fields.ts";
import { isWellFormedScope } from "../../supabase/functions/_shared/contract/scopes.ts";
import { sessionEndpoints } from "../support/resources.ts";
import { test } from "../support/scenario.ts";
import { readVerbs, words } from "../support/verbs.ts";

const ROOT = join(import.meta.dirname!, "..", "..");

test("every verb of schema app is called by a command or by an endpoint of the application", async ({ sql }) => {
  const names = (await readVerbs(sql)).map(({ name }) => name);
  const typed = await Deno.readTextFile(join(ROOT, "run", "operator", "verbs.ts"));
  const typedNames = new Set([...typed.matchAll(/^ {2}(\w+): Verb</gm)].map(([, name]) => name!));
  // verbs.ts need not list every verb: a verb that only an endpoint calls is typed by the endpoint's schema.
  assert.deepEqual([...typedNames].filter((name) => !names.includes(name)), []);

  const callers = await sources("run/cli", "run/operator");
  const called = new Set(sessionEndpoints.map(({ route }) => route.endpoint.verb));
  assert.deepEqual(names.filter((name) => !called.has(name) && !callers.includes(`"${name}"`)), []);
});

test("every verb of schema app is plpgsql from jsonb to json, with an empty search_path", async ({ sql }) => {
  const others = await sql`
    select p.oid::regprocedure::text as name from pg_proc p join pg_language l on l.oid = p.prolang
    where p.pronamespace = 'app'::regnamespace and p.proname <> 'call' and not (
      pg_get_function_arguments(p.oid) = 'p_args jsonb' and p.prorettype = 'json'::regtype and not p.proretset
      and l.lanname = 'plpgsql' and not p.prosecdef and p.proconfig @> array['search_path=""']
    )`;
  assert.deepEqual([...others], []);
});

/** Codes that a verb raises only when a member calls it. */
const OF_MEMBERS = ["insufficient_role", "too_many_invitations"];

test("the comment of every verb names its arguments and the codes that it raises", async ({ sql }) => {
  const helpers = new Map(
    (await sql<{ name: string; source: string }[]>`
      select 'crm.' || proname as name, prosrc as source from pg_proc where pronamespace = 'crm'::regnamespace`)
      .map(({ name, source }) => [name, source]),
  );
  const raised = new Set<string>();
  for (const { name, required, optional, comment, source } of await readVerbs(sql)) {
    const [, args = "", codes = ""] = /Arguments: (.*)\. Codes: (.*)\.$/.exec(comment) ?? [];
    const named = args === "none" ? [] : words(args);
    assert.deepEqual(named.sort(), [...required, ...optional].sort(), name);
    const found = codesOf(source, helpers);
    assert.deepEqual(words(codes).sort(), [...found].sort(), name);
    for (const code of found) raised.add(code);
  }
  // Raised only in TypeScript, because the database never has the encryption key.
  raised.add("wrong_encryption_key");
  assert.deepEqual([...raised].sort(), [...OPERATOR_CODES, ...OF_MEMBERS].sort());
});

test("every verb names each argument that is missing, unknown or of the wrong kind", async ({ sql }) => {
  const fieldsOf = async (verb: string, args: Record<string, unknown>) => {
    const error = await operate(sql, verb as VerbName, args as never).then(() => null, (error) => error);
    if (error === null) return [];
    assert.ok(error instanceof OperatorError, `${verb}: ${error}`);
    assert.equal(error.code, "validation_error", verb);
    assert.ok(error.details.every(({ message }) => message), verb);
    return error.details.map(({ field }) => field).sort();
  };
  for (const { name, required, optional } of await readVerbs(sql)) {
    if (required.length > 0) assert.deepEqual(await fieldsOf(name, {}), required.toSorted(), name);
    const all = [...required, ...optional];
    // An object is wrong for every argument except filters and header, for which a list is wrong.
    const wrong = Object.fromEntries(
      [...all, "unknown"].map((field) => [field, ["filters", "header"].includes(field) ? [] : {}]),
    );
    assert.deepEqual(await fieldsOf(name, wrong), [...all, "unknown"].sort(), name);
  }
});

test("arguments of verbs follow the same rules as fields of the API", async ({ sql }) => {
  const text = ["a", " a ", "", "  ", "é".repeat(255), "a".repeat(256), "😀".repeat(255), 5, true, [], {}];
  const uuids = ["00000000-0000-7000-8000-00000000000A", "00000000-0000-7000-8000-00000000000", "", 1];
  const emails = [
    ...["a@b.co", " Ana.Souza+crm@Exemplo.com.br ", "o'neil@x.org", "a@b", "a@", "@b.co", "a b@c.de"],
    ...["", "a&b@x.com", "user!#$%*?^`{|}~@x.com", "x/y=z@x.com", "a@xn--80ak6aa92e.xn--p1ai"],
    ...["a@b.c1", "a@b.1c", "a@b-.co", `a@${"b".repeat(63)}.co`, `a@${"b".repeat(64)}.co`],
    ...["josé@x.com", "a@b.co.", '"a b"@x.com', ".a@b.co", "a..b@c.de", "a@-b.co"],
    ...[64, 65].map((length) => `${"a".repeat(length)}@b.co`),
    ...["comm", "commm"].map((end) => `a@${"b.".repeat(124)}${end}`),
    ...["\u212aate@x.co", 5],
  ];
  const moments = [
    ...["2027-01-31T12:00:00Z", "2027-01-31T12:00:00.123456-03:00", "2028-02-29T00:00:00Z"],
    ...["2027-02-29T00:00:00Z", "2027-01-31T24:00:01Z", "2027-01-31T12:60:00Z", "tomorrow", ""],
    ...["0000-01-01T00:00:00Z", "0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59Z", 5],
  ];
  const amounts = [0, 0.01, 1e15, 1.1e15, -1, "5", true, null];
  const scopes = ["leads:write", "a_b-2:manage", "leads:delete", "Leads:read", "2a:read", "deals"]
    .concat(`${"a".repeat(61)}:read`);
  type Schema = { safeParse(value: unknown): { success: boolean } };
  const rules: [rule: string, values: unknown[], schema: Schema][] = [
    ["name", text, fields.name()],
    ["id", uuids, fields.uuid()],
    ["email", emails, fields.email()],
    ["expires_at", moments, fields.datetime()],
    ["value", amounts, fields.money()],
    ["scope", scopes, { safeParse: (value) => ({ success: isWellFormedScope(value as string) }) }],
  ];
  for (const [rule, values, schema] of rules) {
    for (const value of values) {
      const [row] = await sql`
        select value, errors = '[]' as valid
        from crm.parse_argument(${rule}, 'field', ${sql.json(value as never)}::jsonb)`;
      const api = schema.safeParse(value) as { success: boolean; data?: unknown };
      const title = `${rule} ${JSON.stringify(value)}`;
      assert.equal(row!["valid"], api.success, title);
      // The parsed values are equal too. Only expires_at differs: SQL converts it to UTC when it is stored.
      if (api.success && rule !== "expires_at" && rule !== "scope") {
        assert.equal(row!["value"], api.data, title);
      }
    }
  }
});

/** The codes in the source of a verb and of the functions that it calls. */
function codesOf(source: string, helpers: Map<string, string>, seen = new Set<string>()): Set<string> {
  const raised = source.matchAll(/(?:(?:crm\.raise_code|api\.fail)\(\s*|message = )'(\w+)'/g);
  const codes = new Set([...raised].map(([, code]) => code!));
  for (const [, name] of source.matchAll(/\b(crm\.\w+)\(/g)) {
    const helper = helpers.get(name!);
    if (helper === undefined || seen.has(name!)) continue;
    seen.add(name!);
    for (const code of codesOf(helper, helpers, seen)) codes.add(code);
  }
  return codes;
}

async function sources(...folders: string[]): Promise<string> {
  let text = "";
  for (const folder of folders.map((folder) => join(ROOT, folder))) {
    for await (const path of filesOf(folder)) {
      if (path !== "verbs.ts") text += await Deno.readTextFile(join(folder, path));
    }
  }
  return text;
}
