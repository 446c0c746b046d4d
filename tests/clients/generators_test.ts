/**
 * The code that generators make from the API's OpenAPI document type-checks. With it an integrator reads errors, pages
 * and each event's data without a cast, as in `consumers/`. The `@ts-expect-error` lines there fail if a type is so
 * wide that it allows anything.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { createClient } from "@hey-api/openapi-ts";
import openapiTS, { astToString } from "openapi-typescript";
import { openFolder } from "../support/folder.ts";
import { API_DOCUMENT, readDocument, writeDocuments } from "./support/documents.ts";
import { typeErrors } from "./support/type_check.ts";

const CONSUMERS = join(import.meta.dirname!, "consumers");

/** Each writes code into a folder, and has the name of the file in `consumers/` that uses the code. */
const GENERATORS: Readonly<Record<string, (folder: string) => Promise<void>>> = {
  async openapi_typescript(folder) {
    await Deno.mkdir(folder, { recursive: true });
    await Deno.writeTextFile(
      join(folder, "schema.ts"),
      astToString(await openapiTS(await readDocument(API_DOCUMENT))),
    );
  },
  async hey_api(folder) {
    await createClient({
      input: API_DOCUMENT,
      output: folder,
      plugins: ["@hey-api/typescript", "@hey-api/sdk", "@hey-api/client-fetch"],
      logs: { level: "silent", file: false },
    });
  },
};

await writeDocuments();

for (const [name, generate] of Object.entries(GENERATORS)) {
  Deno.test(`What ${name} generates from the document type-checks, and reads error.details and the data of each event`, async () => {
    await using folder = await openFolder();
    await generate(join(folder.path, "generated"));
    await Deno.copyFile(join(CONSUMERS, `${name}.ts`), join(folder.path, "types.ts"));
    await Deno.copyFile(join(CONSUMERS, "reading.ts"), join(folder.path, "reading.ts"));
    assert.deepEqual(await typeErrors(folder.path), []);
  });
}
