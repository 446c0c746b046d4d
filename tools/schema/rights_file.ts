import type { PGlite } from "@electric-sql/pglite";
import { type WrittenFile, writtenFile } from "./folder.ts";
import { columns } from "../records/sql_text.ts";
import { readFunctions } from "../rights/catalogue.ts";
import { readVerbRights, VERB_ROLES, type VerbRole } from "../rights/verb_rights.ts";

/** The schema file with the grants that are written by hand. The generated grants are written beside it. */
const RIGHTS = "90_rights.sql";

/** The grants of the functions that verbs call. They depend on all other schema files. */
export async function rightsFile(database: PGlite): Promise<WrittenFile> {
  const query = async (text: string) => (await database.query<object>(text)).rows;
  const roles = new Map<string, VerbRole[]>();
  for (const role of Object.keys(VERB_ROLES) as VerbRole[]) {
    const { functions } = await readVerbRights(query, role);
    for (const signature of functions) roles.set(signature, [...roles.get(signature) ?? [], role]);
  }
  const overloads = Map.groupBy(await readFunctions(query), ({ name }) => name);
  /** A name that only one function has needs no types. */
  const granted = (signature: string) => {
    const name = signature.replace(/\(.*/, "");
    return overloads.get(name)!.length === 1 ? name : signature.replaceAll(",", ", ");
  };
  const grants = [...Map.groupBy(roles.keys(), (signature) => roles.get(signature)!.join(", "))]
    .sort(([a], [b]) => a < b ? -1 : 1)
    .map(([to, signatures]) =>
      `grant execute on function\n${columns(signatures.toSorted().map(granted), 2)}\nto ${to};`
    );
  return writtenFile(RIGHTS, "deno task schema", grants.join("\n\n"));
}
