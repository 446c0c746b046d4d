import { type Scope, SCOPES } from "../contract/scopes.ts";
import { editDistance } from "../runtime/edit_distance.ts";

const RESOURCES = [...new Set(SCOPES.map((scope) => scope.split(":")[0]!))];

/** Maximum typing mistakes in a resource's name. In a name of at most SHORT letters the maximum is 1. */
const MAX_WRONG_LETTERS = 2;
const SHORT = 4;

/**
 * Warns once about each scope that no endpoint requires. Such a scope is stored but grants nothing (spec 5.3), so it is
 * usually a mistake.
 *
 * @param or the word that joins the similar scopes in `meant`, which is "" if there are none
 */
export function warnOfUnused(
  scopes: readonly string[],
  or: string,
  warn: (scope: string, meant: string) => string,
): string[] {
  const unused = [...new Set(scopes)].filter((scope) => !(SCOPES as readonly string[]).includes(scope));
  return unused.map((scope) =>
    warn(scope, similarScopes(scope).map((known) => `"${known}"`).join(` ${or} `))
  );
}

function similarScopes(scope: string): Scope[] {
  const [name = "", action = ""] = scope.split(":");
  const resource = closestResource(name);
  const known = SCOPES.filter((scope) => scope.startsWith(`${resource}:`));
  const same = known.filter((scope) => scope.endsWith(`:${action}`));
  if (same.length > 0) return same;
  // `manage` suggests every scope of the resource. `read` and `write` suggest only `manage`: a person who wants to read
  // must not be offered a scope that only writes.
  return known.filter((scope) => action === "manage" || scope.endsWith(":manage"));
}

/** The resource that a singular or misspelt name may mean; null if there is none. */
function closestResource(name: string): string | null {
  const forms = [name, `${name}s`, name.replace(/y$/, "ies")];
  const wrongLetters = (resource: string) => Math.min(...forms.map((form) => editDistance(form, resource)));
  const [closest] = RESOURCES.toSorted((a, b) => wrongLetters(a) - wrongLetters(b));
  const allowed = name.length <= SHORT ? 1 : MAX_WRONG_LETTERS;
  return wrongLetters(closest!) <= allowed ? closest! : null;
}
