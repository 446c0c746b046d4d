import { fileURLToPath } from "node:url";

/** The documents in the repository, as integrators get them. */
export const DOCUMENTS = ["openapi.json", "openapi.en.json", "openapi.app.json", "openapi.app.en.json"].map((
  name,
) => fileURLToPath(new URL(`../../${name}`, import.meta.url)));

/** The document of the API, in Portuguese. */
export const API_DOCUMENT = DOCUMENTS[0]!;

/** The document of the console's functions, in Portuguese. */
export const APP_DOCUMENT = DOCUMENTS[2]!;

/** Reads a document without types, as a tool does. */
// deno-lint-ignore no-explicit-any -- see above
export async function readDocument(file: string): Promise<any> {
  return JSON.parse(await Deno.readTextFile(file));
}
