import { fileURLToPath } from "node:url";
import type { Language } from "./language.ts";

/** The documents in the repository. */
export const DOCUMENTS: readonly { file: string; language: Language }[] = [
  { file: fileURLToPath(new URL("../openapi.json", import.meta.url)), language: "pt" },
  { file: fileURLToPath(new URL("../openapi.en.json", import.meta.url)), language: "en" },
];

/** Serializes a document for its file. */
export function documentText(document: unknown): string {
  return JSON.stringify(document, null, 2) + "\n";
}
