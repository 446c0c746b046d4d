import assert from "node:assert/strict";
import { NAMES } from "../../console/components/field_names.ts";
import { PRESETS } from "../../console/pages/keys/presets.ts";
import { TEXTS } from "../../console/strings/texts.ts";
import { ERRORS } from "../../supabase/functions/_shared/contract/errors.ts";
import { EVENT_TYPES } from "../../supabase/functions/_shared/contract/events.ts";
import { SCOPES } from "../../supabase/functions/_shared/contract/scopes.ts";
import { ACTIONS } from "../../supabase/functions/app-v1-activity/schema.ts";
import { records } from "../../tools/records/records.ts";

const says = (key: string) => assert.ok(Object.hasOwn(TEXTS, key), `The console has no text ${key}`);

Deno.test("Every audit log action has a sentence on the activity page", () => {
  for (const action of ACTIONS) says(`did.${action}`);
});

Deno.test("The events with a text, which people can choose for a webhook, are all that exist", () => {
  const named = Object.keys(TEXTS).flatMap((key) => key.match(/^event\.(.+)$/)?.[1] ?? []);
  assert.deepEqual(named.toSorted(), EVENT_TYPES.toSorted());
});

Deno.test("Every scope has a description in the form for a new key", () => {
  for (const scope of SCOPES) {
    const [resource, access] = scope.split(":");
    says(`scope.${resource}`);
    says(`access.${access}`);
  }
});

Deno.test("Only the set of all scopes can erase a contact's data for good", () => {
  const erasing = PRESETS.filter(({ scopes }) => scopes.includes("contacts:manage")).map(({ name }) => name);
  assert.deepEqual(erasing, ["all"]);
  const erp = PRESETS.find(({ name }) => name === "erp")!;
  for (const scope of ["contacts:write", "companies:write", "deals:write"]) {
    assert.ok(erp.scopes.includes(scope));
  }
});

Deno.test("Every error code that the console has a text for exists", () => {
  const codes = Object.keys(TEXTS).flatMap((key) => key.match(/^failure\.code\.(.+)$/)?.[1] ?? []);
  assert.ok(codes.length > 0);
  assert.deepEqual(codes.filter((code) => !Object.hasOwn(ERRORS, code)), []);
});

Deno.test("Every field that the console has a name for is a field of a record", () => {
  const fields = new Set(records.flatMap(({ fields }) => Object.keys(fields)));
  assert.deepEqual(Object.keys(NAMES).filter((name) => !fields.has(name)), []);
});
