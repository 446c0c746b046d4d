/**
 * `deno task openapi`: writes openapi.json (Portuguese), openapi.en.json (English) and those of the application at the root of the repository.
 */
import { openApiDocument } from "./document.ts";
import { DOCUMENTS, documentText } from "./files.ts";

for (const { file, audience, language } of DOCUMENTS) {
  await Deno.writeTextFile(file, documentText(openApiDocument(audience, language)));
}
