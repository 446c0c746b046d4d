/** `deno task collection`: writes the collections for Postman and for editors, from the Portuguese document. */
import { collectionFiles } from "./files.ts";

for (const [path, text] of Object.entries(await collectionFiles())) await Deno.writeTextFile(path, text);
