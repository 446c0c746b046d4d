/**
 * `deno task openapi`: writes the documents of the API and of the application, in Portuguese and English, at the root of
 * the repository.
 */
import { openApiDocument } from "./document.ts";
import { DOCUMENTS, documentText } from "./files.ts";

for (const { file, audience, language } of DOCUMENTS) {
  await Deno.writeTextFile(file, documentText(openApiDocument(audience, language)));
}
