import type { PGlite } from "@electric-sql/pglite";
import { type WrittenFile, writtenFile } from "./folder.ts";
import { columns } from "../records/sql_text.ts";
import { readVerbRights, VERB_ROLES, type VerbRole } from "../rights/verb_rights.ts";

/** The schema file with the grants that are written by hand. The generated grants are written beside it. */
const RIGHTS = "90_rights.sql";

/** The grants of the functions that verbs call. They depend on all other schema files. */
export async function rightsFile(database: PGlite): Promise<WrittenFile> {
  const query = async (text: string) => (await database.query<object>(text)).rows;
  const grants = [];
  for (const role of Object.keys(VERB_ROLES) as VerbRole[]) {
    const { functions } = await readVerbRights(query, role);
    const list = columns(functions.map((signature) => signature.replaceAll(",", ", ")), 2);
    grants.push(`grant execute on function\n${list}\nto ${role};`);
  }
  return writtenFile(RIGHTS, "deno task schema", grants.join("\n\n"));
}
