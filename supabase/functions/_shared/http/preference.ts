/** The header of a reply to a call that asked for strict handling, and got it (RFC 7240, 3). */
export const STRICT_APPLIED = { "Preference-Applied": "handling=strict" } as const;

/** Maximum length of `Prefer` that is read, in characters: every preference of RFC 7240 together has a quarter. */
const MAX_LENGTH = 1_000;

/**
 * A quoted value, a name or value, or a separator. A quote that is not closed goes on to the end: if it were no match,
 * the rest would be read again from each quote in it.
 */
const TOKEN = /"(?:[^"\\]|\\.?)*"?|[^\s",;=]+|[,;=]/g;

/**
 * Whether `Prefer` asks for `handling=strict`: unknown fields of the body are then an error. Any other preference is
 * ignored, as RFC 7240 wants, and so is a header of more than 1,000 characters; of two for `handling` the first counts.
 */
export function prefersStrict(headers: Headers): boolean {
  const header = headers.get("Prefer") ?? "";
  const tokens = header.length > MAX_LENGTH ? [] : header.match(TOKEN) ?? [];
  // A preference begins the header or follows a comma; what follows a semicolon are its parameters.
  const at = tokens.findIndex((token, index) =>
    token.toLowerCase() === "handling" && (index === 0 || tokens[index - 1] === ",")
  );
  return at !== -1 && tokens[at + 1] === "=" &&
    tokens[at + 2]?.replaceAll('"', "").toLowerCase() === "strict";
}
