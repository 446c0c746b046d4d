// OpenAPI linters find no problems in our documents, except those listed here with a reason.
import assert from "node:assert/strict";
import { basename } from "node:path";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import spectral, { type RulesetDefinition } from "@stoplight/spectral-core";
import rulesets from "@stoplight/spectral-rulesets";
import { writeDocuments } from "./support/documents.ts";

/** Rules of spectral:oas that the documents break, each with the reason. */
const ALLOWED: Readonly<Record<string, string>> = {
  "info-contact": "The service is run by whoever deploys it: the documents can name nobody to write to.",
  "oas3-operation-security-defined":
    "The rule knows scopes of OAuth alone. Since OpenAPI 3.1 a requirement may name the roles that an API key needs.",
};

/** Rules that at least one document breaks. */
const found = new Set<string | number>();

for (const document of await writeDocuments()) {
  const name = basename(document);

  Deno.test(`Redocly's recommended-strict rules find nothing in ${name}`, async () => {
    const problems = await lintFromString({
      source: await Deno.readTextFile(document),
      absoluteRef: document,
      config: await createConfig({ extends: ["recommended-strict"], telemetry: "off" }),
    });
    assert.deepEqual(
      problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
      [],
    );
  });

  // The English documents differ only in their texts, which these rules do not read.
  if (name.includes(".en.")) continue;
  Deno.test(`Spectral's rules (spectral:oas) find nothing in ${name} but what has a reason here`, async () => {
    const linter = new spectral.Spectral();
    linter.setRuleset({ extends: [rulesets.oas as RulesetDefinition] });
    const problems = await linter.run(await Deno.readTextFile(document));
    for (const { code } of problems) found.add(code);
    assert.deepEqual(
      problems.filter(({ code }) => !(code in ALLOWED))
        .map(({ code, message, path }) => [code, message, path.join("/")]),
      [],
    );
  });
}

Deno.test("Every listed exception to the rules of Spectral is still needed", () => {
  assert.deepEqual([...found].sort(), Object.keys(ALLOWED).sort());
});
