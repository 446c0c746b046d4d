import { join } from "node:path";
import { FUNCTIONS } from "../resources.ts";

/** Matches a quoted `select` that calls a function in one of our schemas, such as `select * from api.call($1)`. */
const STATEMENT = /["`](select [^"`]*?\b((?:api|app|crm)\.\w+)\([^"`]*)["`]/g;

/** A statement that the functions send. */
export interface SentStatement {
  text: string;
  /** The function that it calls, such as `api.call`. */
  called: string;
}

/** Every statement in the sources of supabase/functions, by the function that it calls. */
export async function sentStatements(): Promise<SentStatement[]> {
  const sources = await Promise.all((await sourceFiles(FUNCTIONS)).map((path) => Deno.readTextFile(path)));
  const found = sources.flatMap((source) =>
    [...source.matchAll(STATEMENT)].map(([, text = "", called = ""]) => ({ text, called }))
  );
  const byText = new Map(found.map((statement) => [statement.text, statement]));
  return [...byText.values()].sort((a, b) => a.called < b.called ? -1 : 1);
}

async function sourceFiles(folder: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder));
  const nested = await Promise.all(entries.map(({ name, isDirectory }) => {
    if (isDirectory) return name === "node_modules" ? [] : sourceFiles(join(folder, name));
    return name.endsWith(".ts") ? [join(folder, name)] : [];
  }));
  return nested.flat();
}
