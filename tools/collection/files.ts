import { openApiDocument } from "../openapi/document.ts";
import type { OpenApi } from "../openapi/read_document.ts";
import { httpFile } from "./http_file.ts";
import { postmanCollection } from "./postman.ts";
import { foldersOf } from "./steps.ts";

/** The text of each collection, by the name of its file. */
export function collectionFiles(): Record<string, string> {
  const document = openApiDocument("api", "pt") as OpenApi;
  const { title: name, description } = document.info;
  const baseUrl = document.servers[0]!.url;
  const folders = foldersOf(document);
  const collection = postmanCollection({ name, description, baseUrl }, folders);
  return {
    "crm.postman_collection.json": JSON.stringify(collection, null, 2) + "\n",
    "crm.http": httpFile(baseUrl, folders),
  };
}
