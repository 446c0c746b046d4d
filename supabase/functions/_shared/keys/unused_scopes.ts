import { type Scope, SCOPES } from "../contract/scopes.ts";
import { editDistance } from "../runtime/edit_distance.ts";

const RESOURCES = [...new Set(SCOPES.map((scope) => scope.split(":")[0]!))];

/** How many letters of a misspelt resource may be wrong; of one with at most SHORT letters, one. */
const MAX_WRONG_LETTERS = 2;
const SHORT = 4;

/** A scope that no endpoint requires, and those that may have been meant. */
export interface UnusedScope {
  scope: string;
  similar: Scope[];
}

/**
 * Finds the scopes that no endpoint requires, each once: they are valid, stored, and grant nothing (spec 5.3), but are
 * usually a mistake.
 */
export function findUnusedScopes(scopes: readonly string[]): UnusedScope[] {
  return [...new Set(scopes)].filter((scope) => !(SCOPES as readonly string[]).includes(scope))
    .map((scope) => ({ scope, similar: similarScopes(scope) }));
}

/** The scopes in use that a well-formed scope may be a mistake for. */
function similarScopes(scope: string): Scope[] {
  const [name = "", action = ""] = scope.split(":");
  const resource = closestResource(name);
  const known = SCOPES.filter((scope) => scope.startsWith(`${resource}:`));
  const same = known.filter((scope) => scope.endsWith(`:${action}`));
  if (same.length > 0) return same;
  // `manage` is reading and writing. A scope that only writes is never suggested to someone who wants to read.
  return known.filter((scope) => action === "manage" || scope.endsWith(":manage"));
}

/** The resource that a name is, in the singular or misspelt; null for another name. */
function closestResource(name: string): string | null {
  const forms = [name, `${name}s`, name.replace(/y$/, "ies")];
  const wrongLetters = (resource: string) => Math.min(...forms.map((form) => editDistance(form, resource)));
  const [closest] = RESOURCES.toSorted((a, b) => wrongLetters(a) - wrongLetters(b));
  const allowed = name.length <= SHORT ? 1 : MAX_WRONG_LETTERS;
  return wrongLetters(closest!) <= allowed ? closest! : null;
}
