import { join } from "node:path";
import { createClient } from "@hey-api/openapi-ts";
import openapiTS, { astToString } from "openapi-typescript";
import { readDocument } from "./documents.ts";

/** Generates code from a document into a folder. */
type Generator = (document: string, folder: string) => Promise<void>;

/** The generators, by the name of the file in `consumers/` that uses what they make. */
export const GENERATORS: Readonly<Record<string, Generator>> = {
  async openapi_typescript(document, folder) {
    await Deno.mkdir(folder, { recursive: true });
    await Deno.writeTextFile(
      join(folder, "schema.ts"),
      astToString(await openapiTS(await readDocument(document))),
    );
  },
  async hey_api(document, folder) {
    await createClient({
      input: document,
      output: folder,
      plugins: ["@hey-api/typescript", "@hey-api/sdk", "@hey-api/client-fetch"],
      logs: { level: "silent", file: false },
    });
  },
};
