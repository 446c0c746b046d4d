import { findUnusedScopes } from "../../supabase/functions/_shared/keys/unused_scopes.ts";

/**
 * Warns about each scope that no endpoint requires. Such scopes are valid and stored (spec 5.3), but usually a mistake. A
 * warning names similar scopes.
 */
export function warningsOfScopes(scopes: readonly string[]): string[] {
  return findUnusedScopes(scopes).map(({ scope, similar }) => {
    const meant = similar.map((known) => `"${known}"`).join(" or ");
    const question = meant === "" ? "" : `. Did you mean ${meant}?`;
    return `No endpoint requires "${scope}": it is stored and grants nothing${question}`;
  });
}
