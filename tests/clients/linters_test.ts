// An OpenAPI linter finds no problem in our documents. It also compares every example with its schema.
import assert from "node:assert/strict";
import { basename } from "node:path";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { writeDocuments } from "./support/documents.ts";

const config = await createConfig({
  extends: ["recommended-strict"],
  rules: {
    // Rules that `recommended-strict` leaves out.
    "no-invalid-media-type-examples": { severity: "error", allowAdditionalProperties: false },
    "no-invalid-parameter-examples": "error",
    "no-invalid-schema-examples": "error",
    "operation-singular-tag": "error",
    "tag-description": "error",
  },
  telemetry: "off",
});

for (const document of await writeDocuments()) {
  Deno.test(`Redocly's rules find nothing in ${basename(document)}`, async () => {
    const problems = await lintFromString({
      source: await Deno.readTextFile(document),
      absoluteRef: document,
      config,
    });
    assert.deepEqual(
      problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
      [],
    );
  });
}
