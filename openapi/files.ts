import { fileURLToPath } from "node:url";
import type { Audience } from "./audience.ts";
import type { Language } from "./language.ts";

/** The documents in the repository. */
export const DOCUMENTS: readonly { file: string; audience: Audience; language: Language }[] = [
  { file: inRoot("openapi.json"), audience: "api", language: "pt" },
  { file: inRoot("openapi.en.json"), audience: "api", language: "en" },
  { file: inRoot("openapi.app.json"), audience: "app", language: "pt" },
  { file: inRoot("openapi.app.en.json"), audience: "app", language: "en" },
];

/** Serializes a document for its file. */
export function documentText(document: unknown): string {
  return JSON.stringify(document, null, 2) + "\n";
}

function inRoot(name: string): string {
  return fileURLToPath(new URL(`../${name}`, import.meta.url));
}
