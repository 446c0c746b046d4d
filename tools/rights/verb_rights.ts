// Reads from the bodies of the verbs which rights their role needs. The role gets no others.
import { type Query, readFunctions, readTables, type SqlFunction } from "./catalogue.ts";

/** The roles of verbs, each with the function that runs as that role and calls every verb. */
export const VERB_ROLES = { crm_api: "crm.run_verb", crm_app: "crm.run_app_verb" } as const;

export type VerbRole = keyof typeof VERB_ROLES;

const CALL = /\b((?:api|app|crm)\.\w+)\s*\(/g;
const READ = /\b(?:from|join)\s+(crm\.\w+)/g;
const INSERT = /\binsert\s+into\s+(crm\.\w+)/g;
const UPDATE = /\bupdate\s+(crm\.\w+)/g;

/** The statements that verbs run on a table. */
export type Access = "select" | "insert" | "update";

/** The functions and tables that the verbs use. */
export interface VerbRights {
  /** Signatures, sorted. */
  functions: string[];
  /** The rights by table, each in the order of `Access`. */
  tables: Record<string, Access[]>;
}

/**
 * Follows the calls from a role's root function to every function, table, default, check, policy and trigger that the
 * role uses. Does not look into security definer functions, which run as their owner.
 */
export async function readVerbRights(query: Query, role: VerbRole): Promise<VerbRights> {
  const functions = Map.groupBy(await readFunctions(query), ({ name }) => name);
  const tables = new Map((await readTables(query)).map((found) => [found.name, found]));
  const called = new Set<string>();
  const used = new Map<string, Set<Access>>();
  /** The texts that were read, so that recursion ends. */
  const seen = new Set<string>();

  function follow(source: string): void {
    if (seen.has(source)) return;
    seen.add(source);
    for (const [, name] of source.matchAll(CALL)) {
      for (const { signature, securityDefiner, source } of functions.get(name!) ?? []) {
        called.add(signature);
        if (!securityDefiner) follow(source);
      }
    }
    for (const [pattern, access] of [[READ, "select"], [INSERT, "insert"], [UPDATE, "update"]] as const) {
      for (const [, name] of source.matchAll(pattern)) useTable(name!, access);
    }
  }

  function useTable(name: string, access: Access): void {
    const table = tables.get(name);
    if (table === undefined) return;
    used.set(name, (used.get(name) ?? new Set()).add(access));
    table.policies.forEach(follow);
    if (access === "select") return;
    table.written.forEach(follow);
    for (const trigger of table.triggers) {
      const [{ securityDefiner, source }] = functions.get(trigger) as [SqlFunction];
      // Not added to `called`: Postgres checks the right to a trigger's function only when the trigger is created.
      if (!securityDefiner) follow(source);
    }
  }

  for (const { source } of functions.get(VERB_ROLES[role])!) follow(source);
  const order: Access[] = ["select", "insert", "update"];
  return {
    // Leaves out the root function, which batches call: the role owns it, and an owner needs no grant.
    functions: [...called].filter((signature) => !signature.startsWith(`${VERB_ROLES[role]}(`)).sort(),
    tables: Object.fromEntries(
      [...used].sort(([a], [b]) => a < b ? -1 : 1).map(([name, access]) => [
        name,
        order.filter((one) => access.has(one)),
      ]),
    ),
  };
}
