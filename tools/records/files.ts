import { join } from "node:path";
import { sections, withSections } from "./sections.ts";

const MIGRATIONS = join(import.meta.dirname!, "../../supabase/migrations");

/** A migration with generated sections: its current text and its expected text. */
export interface WrittenFile {
  file: string;
  current: string;
  expected: string;
}

/**
 * Reads every migration that has a generated section.
 *
 * @throws Error for a section that no migration has
 */
export async function writtenFiles(folder: string = MIGRATIONS): Promise<WrittenFile[]> {
  const sql = sections();
  const found = new Set<string>();
  const files: WrittenFile[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    const file = join(folder, name);
    const current = await Deno.readTextFile(file);
    const expected = withSections(current, sql, found);
    if (current.includes("-- written by deno task records:")) files.push({ file, current, expected });
  }
  const missing = [...sql.keys()].filter((name) => !found.has(name));
  if (missing.length > 0) throw new Error(`No migration has a section for ${missing.join(", ")}`);
  return files;
}
