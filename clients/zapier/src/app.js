import { createOf, searchOf } from "./actions.js";
import { call, throwApiError } from "./call.js";
import { choiceTriggers } from "./choices.js";
import { triggerOf } from "./triggers.js";

/** The app's operations, with the names, fields and samples that write/written.ts takes from the OpenAPI document. */
export function appOf({ authentication, triggers, searches, creates, searchOrCreates, texts }) {
  return {
    authentication: {
      type: "custom",
      fields: authentication,
      test: (z, bundle) => call(z, bundle, "GET", "/api-v1-me"),
      connectionLabel: (_z, { inputData: { workspace, key } }) => `${workspace.name} (${key.name})`,
    },
    afterResponse: [throwApiError],
    triggers: byKey([...triggers.map((trigger) => triggerOf(trigger, texts)), ...choiceTriggers]),
    searches: byKey(searches.map((search) => searchOf(search, texts))),
    creates: byKey(creates.map(createOf)),
    searchOrCreates: byKey(searchOrCreates),
  };
}

function byKey(operations) {
  return Object.fromEntries(operations.map((operation) => [operation.key, operation]));
}
