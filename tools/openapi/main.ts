/**
 * `deno task openapi`: writes the API's document into clients/openapi.json, and its English version and the
 * application's documents into clients/written/. Git ignores all of them.
 */
import { DOCUMENTS, documentText, replaceFile } from "./files.ts";

for (const { file, audience, language } of DOCUMENTS) {
  await replaceFile(file, documentText(audience, language));
}
