/**
 * `deno task openapi`: writes openapi.json (Portuguese) and openapi.en.json (English) at the root of the repository.
 */
import { openApiDocument } from "./document.ts";
import { DOCUMENTS, documentText } from "./files.ts";
import { resources } from "../contract/resources.ts";

for (const { file, language } of DOCUMENTS) {
  await Deno.writeTextFile(file, documentText(openApiDocument(resources, language)));
}
