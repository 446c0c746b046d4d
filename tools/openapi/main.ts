/**
 * `deno task openapi`: writes clients/openapi.json, and into clients/written/, which is not tracked, the same document in
 * English and those of the application.
 */
import { DOCUMENTS, documentText, replaceFile } from "./files.ts";

for (const { file, audience, language } of DOCUMENTS) {
  await replaceFile(file, documentText(audience, language));
}
