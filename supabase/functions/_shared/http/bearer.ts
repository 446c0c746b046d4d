/** Three parts in base64url, the first of which begins as a JSON object does. */
const JWT = /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/;

/** The text after `Authorization: Bearer`; null if the header is absent or has another form. */
export function readBearer(headers: Headers): string | null {
  return /^Bearer +(\S+)$/i.exec(headers.get("Authorization") ?? "")?.[1] ?? null;
}

/**
 * An app's token: the JWT in `Authorization: Bearer`. Null if the header has no JWT, for example because it has a key.
 * Also null if there is an `X-API-Key`, because a key takes precedence.
 */
export function readAppToken(headers: Headers): string | null {
  const text = headers.has("X-API-Key") ? null : readBearer(headers);
  return text !== null && JWT.test(text) ? text : null;
}
