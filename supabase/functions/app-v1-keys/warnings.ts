import { findUnusedScopes } from "../_shared/keys/unused_scopes.ts";

/** Warns, in Portuguese, about scopes that grant nothing, and suggests scopes that may have been meant. */
export function warningsOf(scopes: readonly string[]): string[] {
  return findUnusedScopes(scopes).map(({ scope, similar }) => {
    const meant = similar.map((known) => `"${known}"`).join(" ou ");
    const question = meant === "" ? "" : `. Você quis dizer ${meant}?`;
    return `Nenhuma operação exige "${scope}": a permissão fica guardada e não dá acesso a nada${question}`;
  });
}
