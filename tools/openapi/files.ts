import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Audience } from "./audience.ts";
import { openApiDocument } from "./document.ts";
import { compactJson } from "../json.ts";
import type { Language } from "./language.ts";

/** The API's document in Portuguese. Git ignores it. */
export const API_DOCUMENT = fileURLToPath(new URL("../../clients/openapi.json", import.meta.url));

/** The folder of the other documents and the collections. Git ignores it. */
export const WRITTEN = fileURLToPath(new URL("../../clients/written/", import.meta.url));

/** Every document, by its path. */
export const DOCUMENTS: readonly { file: string; audience: Audience; language: Language }[] = [
  { file: API_DOCUMENT, audience: "api", language: "pt" },
  { file: `${WRITTEN}openapi.en.json`, audience: "api", language: "en" },
  { file: `${WRITTEN}openapi.app.json`, audience: "app", language: "pt" },
  { file: `${WRITTEN}openapi.app.en.json`, audience: "app", language: "en" },
];

/** Replaces a file atomically, because several test processes write and read it. */
export async function replaceFile(file: string, text: string): Promise<void> {
  await Deno.mkdir(dirname(file), { recursive: true });
  await Deno.writeTextFile(`${file}.${Deno.pid}`, text);
  await Deno.rename(`${file}.${Deno.pid}`, file);
}

/** The text of a document's file. */
export function documentText(audience: Audience, language: Language): string {
  return compactJson(openApiDocument(audience, language));
}
