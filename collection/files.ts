import { fileURLToPath } from "node:url";
import { DOCUMENTS } from "../openapi/files.ts";
import type { OpenApi } from "../openapi/read_document.ts";
import { httpFile } from "./http_file.ts";
import { postmanCollection } from "./postman.ts";
import { foldersOf } from "./steps.ts";

/** The text of each file of this folder that is written, by its path. */
export async function collectionFiles(): Promise<Record<string, string>> {
  const { file } = DOCUMENTS.find(({ audience, language }) => audience === "api" && language === "pt")!;
  const document: OpenApi = JSON.parse(await Deno.readTextFile(file));
  const { title: name, description } = document.info;
  const baseUrl = document.servers[0]!.url;
  const folders = foldersOf(document);
  const collection = postmanCollection({ name, description, baseUrl }, folders);
  return {
    [inFolder("crm.postman_collection.json")]: JSON.stringify(collection, null, 2) + "\n",
    [inFolder("crm.http")]: httpFile(baseUrl, folders),
  };
}

function inFolder(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
