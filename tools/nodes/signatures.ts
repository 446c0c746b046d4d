import { join } from "node:path";
import { SCHEMAS, sqlFiles } from "../schema/folder.ts";

/** A function of the database. */
export interface Signature {
  /** Such as `api.call`. */
  name: string;
  parameters: { name: string; type: string; default: string | undefined }[];
  /** The type after `returns`. */
  returns: string;
}

const schema = loadSchema();

async function loadSchema(): Promise<string> {
  const texts = await Promise.all(
    (await sqlFiles(SCHEMAS)).map((name) => Deno.readTextFile(join(SCHEMAS, name))),
  );
  // Removes comments, which may stand between `returns` and `language`.
  return texts.join("\n").replaceAll(/^ *--.*\n/gm, "");
}

/**
 * The signature of a function in supabase/schemas.
 *
 * @throws Error if there is no such function
 */
export async function signatureOf(name: string): Promise<Signature> {
  const pattern = new RegExp(
    String.raw`create function ${name.replace(".", "\\.")}\(([^)]*)\)\s+returns\s+(.*?)\s+language\b`,
    "s",
  );
  const [, parameters, returns] = (await schema).match(pattern) ?? [];
  if (parameters === undefined || returns === undefined) {
    throw new Error(`supabase/schemas has no function ${name}`);
  }
  return {
    name,
    parameters: parameters.split(",").filter((text) => text.trim() !== "").map(readParameter),
    returns,
  };
}

function readParameter(text: string) {
  const [, name = "", type = "", value] = text.trim().match(/^(\w+)\s+(.*?)(?:\s+default\s+(.*))?$/s) ?? [];
  return { name, type, default: value };
}

/** The statement that creates a type in supabase/schemas. */
export async function typeDefinition(name: string): Promise<string> {
  const pattern = new RegExp(String.raw`^create type ${name.replace(".", "\\.")} as [^;]*;`, "m");
  const [definition] = (await schema).match(pattern) ?? [];
  if (definition === undefined) throw new Error(`supabase/schemas has no type ${name}`);
  return definition;
}
