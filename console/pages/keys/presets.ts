import { SCOPES } from "../../../supabase/functions/_shared/contract/scopes.ts";

/** Usual sets of scopes. Only a key with "all" can erase a contact's data for good. */
export const PRESETS: { name: "site" | "read" | "erp" | "all"; scopes: readonly string[] }[] = [
  { name: "site", scopes: ["leads:write"] },
  { name: "read", scopes: SCOPES.filter((scope) => scope.endsWith(":read")) },
  { name: "erp", scopes: SCOPES.filter((scope) => /^(contacts|companies|deals):(read|write)$/.test(scope)) },
  { name: "all", scopes: SCOPES },
];
