import {
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JSONWebKeySet,
  jwtVerify,
  type JWTVerifyGetKey,
} from "jose";
import { ApiError } from "../contract/errors.ts";
import { FairShare, UNKNOWN_OWNER } from "../postgres/fair_share.ts";
import { logCount } from "../runtime/log.ts";
import { AUTH_TIMEOUT_MS, authUrl, publishableKey } from "../runtime/service.ts";
import { sha256 } from "../runtime/sha256.ts";
import { isUuid } from "../runtime/uuid.ts";

/** The ids of the signed-in person and of the session: the claims `sub` and `session_id` of a verified token. */
export interface Session {
  userId: string;
  sessionId: string;
}

/** The session of an app that acts for a person: also the claim `client_id`, the app's id in Supabase Auth. */
export interface AppSession extends Session {
  clientId: string;
}

/** Signature algorithms that this file verifies itself, with the project's public keys. */
const ASYMMETRIC = ["ES256", "RS256"];
/** The audience of a person's token. The project's own keys that are tokens, such as anon, have another audience. */
const AUDIENCE = "authenticated";
/** Milliseconds to cache an answer from Supabase Auth. The database still refuses a session that has ended. */
const ANSWER_MS = 60_000;
/**
 * Maximum number of cached answers, and of known sessions. Strangers cannot fill these collections, because only valid
 * tokens are stored.
 */
const MAX_ANSWERS = 1_000;
/** Maximum simultaneous requests to Supabase Auth: for all unknown sessions together, and for each known session. */
const MAX_REQUESTS = 4;
/** Maximum time that a request waits for its turn, in milliseconds. */
const TURN_MS = 2_000;

class TooManyRequests extends Error {}

let keys: JWTVerifyGetKey | undefined;
/** Answers from Supabase Auth, by the hash of the token. */
const answers = new Map<string, { session: Session; until: number }>();
/** Ids of sessions that had a valid token. Strangers cannot know such an id. */
const knownSessions = new Set<string>();
/**
 * Serves the newest and the oldest unknown session in turns, so that a person who signs in during a flood of forged
 * tokens is served soon.
 */
const turns = new FairShare(MAX_REQUESTS);

/**
 * Verifies a person's access token. A token that Supabase Auth issued to an app is invalid_session here, because an app
 * may do less than the person.
 */
export async function verifyAccessToken(token: string): Promise<Session | ApiError> {
  const session = await verifyToken(token);
  return "clientId" in session ? new ApiError("invalid_session") : session;
}

/**
 * Verifies an access token that Supabase Auth issued to an app. A person's own token is invalid_session. So is a token
 * with a symmetric signature: only Supabase Auth can check it, and strangers could flood Supabase Auth with forged
 * tokens.
 */
export async function verifyAppToken(token: string): Promise<AppSession | ApiError> {
  if (!ASYMMETRIC.includes(algorithmOf(token) ?? "")) return new ApiError("invalid_session");
  const session = await verifyToken(token);
  return session instanceof ApiError || "clientId" in session ? session : new ApiError("invalid_session");
}

/**
 * Verifies an access token of Supabase Auth. The project's public keys verify an asymmetric signature. Supabase Auth
 * itself checks any other signature, because the functions must not hold the signing secret. Environment:
 * SUPABASE_JWKS, the public keys as JSON (a key that is missing there is fetched from Supabase Auth); a publishable
 * key (see `publishableKey`).
 *
 * @returns the session; or invalid_session; or service_unavailable if Supabase Auth cannot be asked in time
 */
async function verifyToken(token: string): Promise<Session | AppSession | ApiError> {
  const algorithm = algorithmOf(token);
  if (algorithm === null) return new ApiError("invalid_session");
  try {
    return ASYMMETRIC.includes(algorithm) ? await verifyHere(token) : await verifyByAuth(token);
  } catch (error) {
    if (error instanceof errors.JOSEError && !isUnreachable(error)) return new ApiError("invalid_session");
    // TooManyRequests is not logged, because forged tokens can cause it in any number.
    if (!(error instanceof TooManyRequests)) logCount("auth_unreachable", { error: String(error) });
    return new ApiError("service_unavailable");
  }
}

/** Forgets the public keys and all answers; the next call reads the environment again. */
export function forgetAuth(): void {
  keys = undefined;
  answers.clear();
  knownSessions.clear();
}

/** The algorithm that the token names; null if the text is not a token. */
function algorithmOf(token: string): string | null {
  try {
    return decodeProtectedHeader(token).alg ?? null;
  } catch {
    return null;
  }
}

async function verifyHere(token: string): Promise<Session | AppSession | ApiError> {
  keys ??= publicKeys();
  const { payload } = await jwtVerify(token, keys, { audience: AUDIENCE, algorithms: ASYMMETRIC });
  return sessionOf(payload);
}

function publicKeys(): JWTVerifyGetKey {
  const fetched = createRemoteJWKSet(new URL(`${authUrl()}/.well-known/jwks.json`), {
    timeoutDuration: AUTH_TIMEOUT_MS,
  });
  const configured = Deno.env.get("SUPABASE_JWKS");
  if (!configured) return fetched;
  const parsed = JSON.parse(configured) as JSONWebKeySet | JSONWebKeySet["keys"];
  const set = createLocalJWKSet(Array.isArray(parsed) ? { keys: parsed } : parsed);
  // SUPABASE_JWKS dates from the last deployment, so newer keys are fetched from Supabase Auth, at most every 30 s.
  return (header, token) =>
    set(header, token).catch((error) => {
      if (error instanceof errors.JWKSNoMatchingKey) return fetched(header, token);
      throw error;
    });
}

async function verifyByAuth(token: string): Promise<Session | ApiError> {
  // Refuses expired tokens, tokens of apps and the project's own keys without asking Supabase Auth.
  const claims = decodeJwt(token);
  const session = sessionOf(claims);
  const expired = (claims.exp ?? 0) * 1000 <= Date.now();
  if (session instanceof ApiError || "clientId" in session || expired || claims.aud !== AUDIENCE) {
    return new ApiError("invalid_session");
  }

  const id = sha256(token);
  const answer = answers.get(id);
  if (answer && answer.until > Date.now()) return answer.session;
  const owner = knownSessions.has(session.sessionId) ? session.sessionId : UNKNOWN_OWNER;
  const check = () => isTokenOf(session, token);
  const isValid = await turns.run(owner, TURN_MS, () => new TooManyRequests(), check);
  if (!isValid) return new ApiError("invalid_session");
  makeRoom(answers);
  answers.set(id, { session, until: Date.now() + ANSWER_MS });
  makeRoom(knownSessions);
  knownSessions.add(session.sessionId);
  return session;
}

/** Asks Supabase Auth whether the token is valid and belongs to this person. */
async function isTokenOf({ userId }: Session, token: string): Promise<boolean> {
  const response = await fetch(`${authUrl()}/user`, {
    headers: { Authorization: `Bearer ${token}`, apikey: publishableKey() },
    signal: AbortSignal.timeout(AUTH_TIMEOUT_MS),
  });
  if (response.status >= 500 || response.status === 429) {
    await response.body?.cancel();
    throw new Error(`Supabase Auth: ${response.status}`);
  }
  const user = await response.json();
  return response.ok && user.id === userId;
}

/** Removes the oldest entry if the collection is full. */
function makeRoom(kept: Map<string, unknown> | Set<string>): void {
  if (kept.size >= MAX_ANSWERS) kept.delete(kept.keys().next().value!);
}

function sessionOf(claims: Record<string, unknown>): Session | AppSession | ApiError {
  const { sub, session_id, client_id } = claims;
  if (!isId(sub) || !isId(session_id)) return new ApiError("invalid_session");
  if (client_id === undefined) return { userId: sub, sessionId: session_id };
  if (!isId(client_id)) return new ApiError("invalid_session");
  return { userId: sub, sessionId: session_id, clientId: client_id };
}

function isId(claim: unknown): claim is string {
  return typeof claim === "string" && isUuid(claim);
}

/** Whether jose could not fetch the public keys. If the reply was not a key set, the error has jose's generic code. */
function isUnreachable({ code }: errors.JOSEError): boolean {
  return code === errors.JWKSTimeout.code || code === errors.JOSEError.code;
}
