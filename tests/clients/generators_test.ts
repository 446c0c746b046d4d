/**
 * The code that generators make from the API's OpenAPI document type-checks. With it an integrator reads errors, pages
 * and each event's data without a cast, as in `consumers/`. The `@ts-expect-error` lines there fail if a type is so
 * wide that it allows anything.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { openFolder } from "../support/folder.ts";
import { API_DOCUMENT, APP_DOCUMENT, writeDocuments } from "./support/documents.ts";
import { GENERATORS } from "./support/generators.ts";
import { typeErrors } from "./support/type_check.ts";

const CONSUMERS = join(import.meta.dirname!, "consumers");

await writeDocuments();

for (const [name, generate] of Object.entries(GENERATORS)) {
  Deno.test(`What ${name} generates from the document type-checks, and reads error.details and the data of each event`, async () => {
    await using folder = await openFolder();
    await generate(API_DOCUMENT, join(folder.path, "generated"));
    await Deno.copyFile(join(CONSUMERS, `${name}.ts`), join(folder.path, "types.ts"));
    await Deno.copyFile(join(CONSUMERS, "reading.ts"), join(folder.path, "reading.ts"));
    assert.deepEqual(await typeErrors(folder.path), []);
  });
}

Deno.test("The types that openapi_typescript generates from the console's document compile", async () => {
  await using folder = await openFolder();
  await GENERATORS["openapi_typescript"]!(APP_DOCUMENT, folder.path);
  assert.deepEqual(await typeErrors(folder.path), []);
});
