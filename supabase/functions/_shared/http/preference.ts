/** The header of a reply to a call that asked for strict handling, and got it (RFC 7240, 3). */
export const STRICT_APPLIED = { "Preference-Applied": "handling=strict" } as const;

/** The preferences that calls can have, in the order in which `Preference-Applied` names them. */
const PREFERENCES = { strict: ["handling", "strict"], representation: ["return", "representation"] } as const;

/** Which preferences a call has. */
export type Preferences = { readonly [name in keyof typeof PREFERENCES]: boolean };

/** Maximum length of `Prefer` that is read, in characters: every preference of RFC 7240 together has a quarter. */
const MAX_LENGTH = 1_000;

/**
 * A quoted value, a name or value, or a separator. A quote that is not closed goes on to the end: if it were no match,
 * the rest would be read again from each quote in it.
 */
const TOKEN = /"(?:[^"\\]|\\.?)*"?|[^\s",;=]+|[,;=]/g;

/**
 * Reads `Prefer`: by `handling=strict`, unknown fields of the body are an error; by `return=representation`, a creation
 * answers with the whole record. Any other preference is ignored, as RFC 7240 wants, and so is a header of more than 1,000
 * characters; of two with one name the first counts.
 */
export function readPreferences(headers: Headers): Preferences {
  const header = headers.get("Prefer") ?? "";
  const tokens = header.length > MAX_LENGTH ? [] : header.match(TOKEN) ?? [];
  return {
    strict: hasPreference(tokens, PREFERENCES.strict),
    representation: hasPreference(tokens, PREFERENCES.representation),
  };
}

function hasPreference(tokens: readonly string[], [name, value]: readonly [string, string]): boolean {
  // A preference begins the header or follows a comma; what follows a semicolon are its parameters.
  const at = tokens.findIndex((token, index) =>
    token.toLowerCase() === name && (index === 0 || tokens[index - 1] === ",")
  );
  return at !== -1 && tokens[at + 1] === "=" &&
    tokens[at + 2]?.replaceAll('"', "").toLowerCase() === value;
}

/** `Preference-Applied` with those that were applied; no header if there are none. */
export function appliedHeader(applied: Preferences): Record<string, string> {
  const names = (["strict", "representation"] as const).filter((name) => applied[name])
    .map((name) => PREFERENCES[name].join("="));
  return names.length === 0 ? {} : { "Preference-Applied": names.join(", ") };
}
