// The part of the migration `rights` that is written: the functions that the role of the verbs may execute.
import type { VerbRights } from "./verb_rights.ts";

const BEGIN = "-- written by deno task schema: the functions that verbs call";
const END = "-- end of the functions that verbs call";

/**
 * The migration with its section written anew.
 *
 * @throws Error if it has no such section
 */
export function withVerbFunctions(migration: string, { functions }: VerbRights): string {
  const [before, rest] = migration.split(`${BEGIN}\n`);
  const after = rest?.split(`${END}\n`)[1];
  if (after === undefined) throw new Error(`The migration of rights has no section "${BEGIN}"`);
  const list = functions.map((signature) => `  ${signature.replaceAll(",", ", ")}`).join(",\n");
  return `${before}${BEGIN}\ngrant execute on function\n${list}\nto crm_api;\n${END}\n${after}`;
}
