/** The header of a reply to which strict handling was applied (RFC 7240, 3). */
export const STRICT_APPLIED = { "Preference-Applied": "handling=strict" } as const;

/** The supported preferences, in the order in which `Preference-Applied` names them. */
const PREFERENCES = { strict: ["handling", "strict"], representation: ["return", "representation"] } as const;

export type Preferences = { readonly [name in keyof typeof PREFERENCES]: boolean };

/** Maximum characters of `Prefer`: four times as many as all preferences of RFC 7240 take together. */
const MAX_LENGTH = 1_000;

/**
 * Matches a quoted value, a name or value, or a separator. An unclosed quote extends to the end, because the time would
 * otherwise be quadratic in the number of quotes.
 */
const TOKEN = /"(?:[^"\\]|\\.?)*"?|[^\s",;=]+|[,;=]/g;

/**
 * Reads `Prefer`: `handling=strict` makes unknown fields of the body an error; `return=representation` makes a
 * creation answer with the whole record. Other preferences are ignored, as RFC 7240 requires, and so is a header of
 * over 1,000 characters. If a name occurs twice, the first counts.
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
  // A preference starts the header or follows a comma. Its parameters follow semicolons.
  const at = tokens.findIndex((token, index) =>
    token.toLowerCase() === name && (index === 0 || tokens[index - 1] === ",")
  );
  return at !== -1 && tokens[at + 1] === "=" &&
    tokens[at + 2]?.replaceAll('"', "").toLowerCase() === value;
}

/** The header `Preference-Applied`; none if no preference was applied. */
export function appliedHeader(applied: Preferences): Record<string, string> {
  const names = (["strict", "representation"] as const).filter((name) => applied[name])
    .map((name) => PREFERENCES[name].join("="));
  return names.length === 0 ? {} : { "Preference-Applied": names.join(", ") };
}
