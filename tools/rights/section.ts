// The written sections of the migration `rights`: the functions that the verbs' roles may execute.
import { columns } from "../records/sql_text.ts";
import type { VerbRights, VerbRole } from "./verb_rights.ts";

const END = "-- end of the functions that verbs call";

/**
 * The migration with the section of a role replaced.
 *
 * @throws Error if it has no such section
 */
export function withVerbFunctions(migration: string, role: VerbRole, { functions }: VerbRights): string {
  const begin = `-- written by deno task schema: the functions that verbs call as ${role}`;
  const [before, rest] = migration.split(`${begin}\n`);
  const end = rest?.indexOf(`${END}\n`) ?? -1;
  if (end === -1) throw new Error(`The migration of rights has no section "${begin}"`);
  const list = columns(functions.map((signature) => signature.replaceAll(",", ", ")), 2);
  return `${before}${begin}\ngrant execute on function\n${list}\nto ${role};\n${rest!.slice(end)}`;
}
