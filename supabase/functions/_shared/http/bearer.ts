/** Three parts in base64url, the first of which begins as a JSON object does. */
const JWT = /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/;

/** What `Authorization: Bearer` has; null if the header is absent or has another form. */
export function readBearer(headers: Headers): string | null {
  return /^Bearer +(\S+)$/i.exec(headers.get("Authorization") ?? "")?.[1] ?? null;
}

/** The JWT in `Authorization: Bearer`; null if there is none, for example because a key stands there. */
export function bearerToken(headers: Headers): string | null {
  const text = readBearer(headers);
  return text !== null && JWT.test(text) ? text : null;
}
