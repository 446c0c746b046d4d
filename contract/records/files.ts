import { join } from "node:path";
import { sections, withSections } from "./sections.ts";

const MIGRATIONS = join(import.meta.dirname!, "../../supabase/migrations");

/** A migration with written sections: as it is, and as it should be. */
export interface WrittenFile {
  file: string;
  is: string;
  shouldBe: string;
}

/**
 * Every migration that has a written section.
 *
 * @throws Error for a section that no migration has
 */
export async function writtenFiles(folder: string = MIGRATIONS): Promise<WrittenFile[]> {
  const sql = sections();
  const found = new Set<string>();
  const files: WrittenFile[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    const file = join(folder, name);
    const is = await Deno.readTextFile(file);
    const shouldBe = withSections(is, sql, found);
    if (is.includes("-- written by deno task records:")) files.push({ file, is, shouldBe });
  }
  const missing = [...sql.keys()].filter((name) => !found.has(name));
  if (missing.length > 0) throw new Error(`No migration has a section for ${missing.join(", ")}`);
  return files;
}
