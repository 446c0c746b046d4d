/** `deno task collection`: writes the collections for Postman and editors into clients/written/. Git ignores them. */
import { replaceFile, WRITTEN } from "../openapi/files.ts";
import { collectionFiles } from "./files.ts";

for (const [name, text] of Object.entries(collectionFiles())) await replaceFile(WRITTEN + name, text);
