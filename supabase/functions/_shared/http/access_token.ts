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

/** Who is signed in, and by which session: the claims `sub` and `session_id` of a verified token. */
export interface Session {
  userId: string;
  sessionId: string;
}

/** Algorithms whose tokens the project's public keys verify here. */
const ASYMMETRIC = ["ES256", "RS256"];
/** The audience of a person's token. Those of the project's own keys, such as anon, have no session. */
const AUDIENCE = "authenticated";
/** Milliseconds for which an answer about a token holds. The door asks for its session at every call all the same. */
const ANSWER_MS = 60_000;
/** Answers kept, and sessions of which one was good: strangers can cause any number of questions, but no answer. */
const MAX_ANSWERS = 1_000;
/** Questions to Supabase Auth under way at once: those of strangers, and those of each session that was good before. */
const MAX_QUESTIONS = 4;
/** Maximum time that a question waits for its turn, in milliseconds. */
const TURN_MS = 2_000;

class TooManyQuestions extends Error {}

let keys: JWTVerifyGetKey | undefined;
/** By the hash of the token. */
const answers = new Map<string, { session: Session; until: number }>();
/** The ids of sessions of which a token was good, which nobody else can know. */
const knownSessions = new Set<string>();
/** Of strangers the newest is next, so that in a flood of theirs whoever signs in gets a turn, if not at once. */
const turns = new FairShare(MAX_QUESTIONS);

/**
 * Verifies an access token of Supabase Auth. A token with an asymmetric signature is verified with the project's public
 * keys; of any other, Supabase Auth itself is asked, because its secret does not belong here. Environment: SUPABASE_JWKS,
 * the public keys as JSON; one that is not among them is fetched from Supabase Auth; a publishable key (see
 * `publishableKey`).
 *
 * @returns invalid_session, or service_unavailable where Supabase Auth does not answer
 */
export async function verifyAccessToken(token: string): Promise<Session | ApiError> {
  const algorithm = algorithmOf(token);
  if (algorithm === null) return new ApiError("invalid_session");
  try {
    return ASYMMETRIC.includes(algorithm) ? await verifyHere(token) : await verifyByAuth(token);
  } catch (error) {
    if (error instanceof errors.JOSEError && !isUnreachable(error)) return new ApiError("invalid_session");
    // Strangers can have Supabase Auth refuse to answer as often as they like.
    if (!(error instanceof TooManyQuestions)) logCount("auth_unreachable", { error: String(error) });
    return new ApiError("service_unavailable");
  }
}

/** Forgets the public keys and all answers, so that the environment is read again. */
export function forgetAuth(): void {
  keys = undefined;
  answers.clear();
  knownSessions.clear();
}

/** The algorithm that a token names; null for a text that is no token. */
function algorithmOf(token: string): string | null {
  try {
    return decodeProtectedHeader(token).alg ?? null;
  } catch {
    return null;
  }
}

async function verifyHere(token: string): Promise<Session | ApiError> {
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
  // The variable is that of the last deployment. Keys that were rotated since are fetched, every 30 s at most.
  return (header, token) =>
    set(header, token).catch((error) => {
      if (error instanceof errors.JWKSNoMatchingKey) return fetched(header, token);
      throw error;
    });
}

async function verifyByAuth(token: string): Promise<Session | ApiError> {
  // Without a request: a token that has expired, or that is a key of the project, is none of a person.
  const claims = decodeJwt(token);
  const session = sessionOf(claims);
  const expired = (claims.exp ?? 0) * 1000 <= Date.now();
  if (session instanceof ApiError || expired || claims.aud !== AUDIENCE) {
    return new ApiError("invalid_session");
  }

  const id = sha256(token);
  const answer = answers.get(id);
  if (answer && answer.until > Date.now()) return answer.session;
  const owner = knownSessions.has(session.sessionId) ? session.sessionId : UNKNOWN_OWNER;
  const isGood = await turns.run(
    owner,
    TURN_MS,
    () => new TooManyQuestions(),
    () => isTokenOf(session, token),
  );
  if (!isGood) return new ApiError("invalid_session");
  makeRoom(answers);
  answers.set(id, { session, until: Date.now() + ANSWER_MS });
  makeRoom(knownSessions);
  knownSessions.add(session.sessionId);
  return session;
}

/** Asks Supabase Auth whether a token is good, and that of this person. */
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

/** Removes the oldest of a full collection. */
function makeRoom(kept: Map<string, unknown> | Set<string>): void {
  if (kept.size >= MAX_ANSWERS) kept.delete(kept.keys().next().value!);
}

function sessionOf(claims: Record<string, unknown>): Session | ApiError {
  const { sub, session_id, client_id } = claims;
  // Supabase Auth names the OAuth client that it gave a token to. Such a program may not do all that the person may.
  if (client_id !== undefined) return new ApiError("invalid_session");
  if (typeof sub !== "string" || typeof session_id !== "string" || !isUuid(sub) || !isUuid(session_id)) {
    return new ApiError("invalid_session");
  }
  return { userId: sub, sessionId: session_id };
}

/** Whether the public keys could not be had: jose has its generic code for an answer that is no key set. */
function isUnreachable({ code }: errors.JOSEError): boolean {
  return code === errors.JWKSTimeout.code || code === errors.JOSEError.code;
}
