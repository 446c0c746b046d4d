/**
 * `deno task openapi`: writes clients/openapi.json, and into clients/written/ the same document in English and those
 * of the application. Git ignores them all.
 */
import { DOCUMENTS, documentText, replaceFile } from "./files.ts";

for (const { file, audience, language } of DOCUMENTS) {
  await replaceFile(file, documentText(audience, language));
}
