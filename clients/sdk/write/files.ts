import { fileURLToPath } from "node:url";
import { openApiDocument } from "../../../tools/openapi/document.ts";
import type { OpenApi } from "../../../tools/openapi/read_document.ts";
import { declarationsOf } from "./declarations.ts";
import { operationsText } from "./operations.ts";

const HEADER = "// Written by `deno task sdk` from the table of endpoints: do not edit.\n";

/** The texts of the SDK's generated files by path, not yet formatted. */
export function writtenFiles(): Record<string, string> {
  const document = openApiDocument("api", "en") as OpenApi;
  return {
    [inSource("types.ts")]: `${HEADER}\n${declarationsOf(document.components.schemas).join("\n")}`,
    [inSource("operations.ts")]: `${HEADER}${operationsText(document)}`,
  };
}

function inSource(name: string): string {
  return fileURLToPath(new URL(`../src/${name}`, import.meta.url));
}

/** Formats TypeScript as `deno fmt` does in this repository. */
export async function formatted(text: string): Promise<string> {
  const process = new Deno.Command(Deno.execPath(), {
    args: ["fmt", "--no-config", "--line-width", "110", "--ext", "ts", "-"],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = process.stdin.getWriter();
  await writer.write(new TextEncoder().encode(text));
  await writer.close();
  const { success, stdout } = await process.output();
  if (!success) throw new Error("deno fmt failed");
  return new TextDecoder().decode(stdout);
}
