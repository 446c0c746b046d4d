import assert from "node:assert/strict";
import { keyEndpoints } from "../../contract/resources.ts";
import { SCOPES } from "../../supabase/functions/_shared/contract/scopes.ts";

Deno.test("every scope of the catalogue is required by an endpoint, and every endpoint requires one of them", () => {
  const used = new Set(keyEndpoints.map(({ route }) => route.endpoint.scope));
  assert.deepEqual([...used].sort(), [...SCOPES].sort());
});
