// A verb can raise exactly the codes that its endpoint declares.
import assert from "node:assert/strict";
import { codesOfChecks, errorCodes } from "../../tools/errors/error_codes.ts";
import { endpoints } from "../../tools/resources.ts";
import { type ErrorCode, isErrorCode } from "../../supabase/functions/_shared/contract/errors.ts";
import { sql } from "../support/scenario.ts";

const sources = await sql<{ name: string; source: string }[]>`
  select p.pronamespace::regnamespace || '.' || p.proname as name, p.prosrc as source
  from pg_proc p
  where p.pronamespace in ('api'::regnamespace, 'app'::regnamespace, 'crm'::regnamespace)`;

/** The codes that each function itself raises, and the functions that it calls. */
const functions = new Map(sources.map(({ name, source }) => [name, {
  codes: [
    ...source.matchAll(/\b(?:api\.fail|crm\.raise_code)\(\s*'(\w+)'/g),
    ...source.matchAll(/errcode = 'CRM00', message = '(\w+)'/g),
  ].map(([, code]) => code!),
  calls: [
    ...source.matchAll(/\b((?:api|app|crm)\.\w+)\s*\(/g),
    // A verb whose name is passed to crm.run_verb.
    ...source.replaceAll(/\bcrm\.run_verb\('/g, "api.").matchAll(/\b(api\.\w+)'/g),
  ].map(([, called]) => called!),
}]));

/** Returns every code that a function raises, itself or through the functions that it calls. */
function raisedBy(name: string, seen = new Set<string>()): Set<string> {
  const found = functions.get(name);
  if (found === undefined || seen.has(name)) return new Set();
  seen.add(name);
  // Not followed: crm.run_verb names every verb, and the others return the errors of a batch's items in the reply.
  if (["crm.run_verb", "crm.run_batch_item", "crm.insert_together", "crm.refuse_invalid"].includes(name)) {
    return new Set();
  }
  return new Set([
    ...found.codes,
    ...found.calls.flatMap((called) => [...raisedBy(called, seen)]),
  ]);
}

/** Codes that verbs of schema app may raise only for calls of the operator, which no endpoint makes. */
const OF_OPERATOR = ["no_active_admin", "job_failed", "invalid_reference"];

Deno.test("every code that a function of the database raises is one of the service's, or the operator's alone", () => {
  for (const [name, { codes }] of functions) {
    for (const code of codes) {
      const isOfOperator = name.startsWith("app.") && OF_OPERATOR.includes(code);
      assert.ok(isErrorCode(code) || isOfOperator, `${name} raises ${code}`);
    }
  }
});

Deno.test("every verb raises the codes that its endpoint declares, and no others", () => {
  // These codes follow from the shape of an endpoint, so no endpoint declares them.
  const implied: ErrorCode[] = ["validation_error", "not_found"];
  // No function raises this code: a unique index refuses the row, and crm.error_of returns the code.
  const ofIndexes: ErrorCode[] = ["external_id_taken"];
  for (const { route, title } of endpoints) {
    const { endpoint } = route;
    if (endpoint.verb === null) continue;
    const raised = raisedBy(`${endpoint.gate === "session" ? "app" : "api"}.${endpoint.verb}`);
    const documented = errorCodes(route);
    // The function that locks a record raises this code only if it gets a version, which only PATCH passes.
    if (route.method !== "PATCH") raised.delete("precondition_failed");
    // crm.require_known_filters, which all lists call, checks only the filters that the list has.
    if (["contact_list", "note_list"].includes(endpoint.verb)) raised.delete("invalid_reference");
    // An upsert calls the verb of PATCH only for a record that it has found.
    if (route.path === "/upsert") raised.delete("not_found");
    for (const code of raised) {
      if (
        endpoint.gate === "session" && (OF_OPERATOR.includes(code) || implied.includes(code as ErrorCode))
      ) continue;
      assert.ok((documented as string[]).includes(code), `${title}: ${code} is raised and not declared`);
    }
    for (const code of endpoint.errors) {
      if (ofIndexes.includes(code)) {
        assert.match(endpoint.verb, /^(contact|company)_/, title);
        continue;
      }
      if (implied.includes(code) || codesOfChecks(endpoint).includes(code)) continue;
      assert.ok(raised.has(code), `${title}: ${code} is declared and never raised`);
    }
  }
});
