import { SCHEMAS, sqlFiles, type WrittenFile, writtenFile } from "../schema/folder.ts";
import { writtenSql } from "./written_sql.ts";

/**
 * What `deno task records` writes into supabase/schemas.
 *
 * @throws Error if no schema file has the name of a record's table
 */
export async function writtenFiles(): Promise<WrittenFile[]> {
  const files = await sqlFiles(SCHEMAS);
  return [...writtenSql()].map(([concern, sql]) => {
    const file = files.find((name) => name.slice(3) === `${concern}.sql`);
    if (file === undefined) {
      throw new Error(`Create supabase/schemas/<number>_${concern}.sql with the table and its verbs`);
    }
    return writtenFile(file, "deno task records", sql);
  });
}
