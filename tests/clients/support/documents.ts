import { fileURLToPath } from "node:url";
import { deno } from "../../support/run.ts";

const CLIENTS = fileURLToPath(new URL("../../../clients/", import.meta.url));
const WRITTEN = `${CLIENTS}written`;

/** The OpenAPI document of the API, in Portuguese. */
export const API_DOCUMENT = `${CLIENTS}openapi.json`;

/** Writes the documents, and returns their paths. */
export async function writeDocuments(): Promise<string[]> {
  await deno(["task", "openapi"]);
  return [API_DOCUMENT, ...["en", "app", "app.en"].map((name) => `${WRITTEN}/openapi.${name}.json`)];
}

/** Writes the collections, and returns their folder. */
export async function writeCollections(): Promise<string> {
  await deno(["task", "collection"]);
  return WRITTEN;
}

/** Reads a document without types, as a tool does. */
// deno-lint-ignore no-explicit-any -- see above
export async function readDocument(file: string): Promise<any> {
  return JSON.parse(await Deno.readTextFile(file));
}
