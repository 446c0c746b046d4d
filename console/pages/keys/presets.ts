import { SCOPES } from "../../../supabase/functions/_shared/contract/scopes.ts";

/** A usual set of scopes. */
export interface Preset {
  name: "site" | "read" | "work" | "erp" | "all";
  scopes: readonly string[];
}

/** The usual sets for keys. Only a key with "all" can erase a contact's data for good. */
export const PRESETS: Preset[] = [
  { name: "site", scopes: ["leads:write"] },
  { name: "read", scopes: SCOPES.filter((scope) => scope.endsWith(":read")) },
  { name: "erp", scopes: SCOPES.filter((scope) => /^(contacts|companies|deals):(read|write)$/.test(scope)) },
  { name: "all", scopes: SCOPES },
];
