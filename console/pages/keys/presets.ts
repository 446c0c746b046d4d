import { SCOPES } from "../../../supabase/functions/_shared/contract/scopes.ts";

/** A set of scopes that can be chosen at once. */
export interface Preset {
  name: "site" | "read" | "work" | "erp" | "all";
  scopes: readonly string[];
}

const READ: Preset = { name: "read", scopes: SCOPES.filter((scope) => scope.endsWith(":read")) };
/** All scopes that read or write: the default for an app. */
export const WORK: Preset = { name: "work", scopes: SCOPES.filter((scope) => !scope.endsWith(":manage")) };

export const APP_PRESETS = [READ, WORK];

/** The sets offered for keys. Of these, only "all" allows erasing a contact's data for good. */
export const PRESETS: Preset[] = [
  { name: "site", scopes: ["leads:write"] },
  READ,
  { name: "erp", scopes: SCOPES.filter((scope) => /^(contacts|companies|deals):(read|write)$/.test(scope)) },
  { name: "all", scopes: SCOPES },
];
