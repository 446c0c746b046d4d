import { findUnusedScopes } from "../../supabase/functions/_shared/keys/unused_scopes.ts";

/**
 * Warns of scopes that no endpoint requires: they are valid, stored, and grant nothing (spec 5.3), but are usually a
 * mistake. A sentence for each; it names the scopes that may have been meant.
 */
export function warningsOfScopes(scopes: readonly string[]): string[] {
  return findUnusedScopes(scopes).map(({ scope, similar }) => {
    const meant = similar.map((known) => `"${known}"`).join(" or ");
    const question = meant === "" ? "" : `. Did you mean ${meant}?`;
    return `No endpoint requires "${scope}": it is stored and grants nothing${question}`;
  });
}
